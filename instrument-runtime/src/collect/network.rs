//! What went over the network: the kernel counts for each interface, and forgets those that go away.

use std::collections::BTreeMap;

/// Of `/proc/self/net/dev`, the columns after the name: bytes in, and bytes out.
const RECEIVED: usize = 0;
const SENT: usize = 8;

/// Names of interfaces that are kept, those that are there now aside: each container of a node brings one.
const MOST: usize = 256;

/// Received and sent.
type Bytes = [u64; 2];

/// Adds up what is new, so that an interface that goes away takes nothing from the sum: to Prometheus a sum that falls has
/// begun again at 0, and all that is left of it is new. Nor does one that comes back bring anything twice.
#[derive(Debug, Default)]
pub(crate) struct Network {
    total: Bytes,
    /// As each was seen last.
    interfaces: BTreeMap<String, Bytes>,
}

impl Network {
    /// Takes in what the kernel says now. `None` where it says nothing of any interface.
    pub(crate) fn take(&mut self, text: &str) -> Option<Bytes> {
        let interfaces: BTreeMap<_, _> = text.lines().filter_map(interface).collect();
        if interfaces.is_empty() {
            return None;
        }
        for (name, now) in &interfaces {
            let before = self.interfaces.get(name).copied().unwrap_or_default();
            for ((total, now), before) in self.total.iter_mut().zip(now).zip(before) {
                // one that counts less than before is another one of that name
                let new = now.checked_sub(before).unwrap_or(*now);
                *total = total.saturating_add(new);
            }
        }
        if self.interfaces.len() > MOST {
            self.interfaces.clear();
        }
        self.interfaces.extend(interfaces);
        Some(self.total)
    }
}

fn interface(line: &str) -> Option<(String, Bytes)> {
    let (name, columns) = line.split_once(':')?;
    let columns: Vec<_> = columns.split_whitespace().collect();
    let bytes = |column: usize| columns.get(column)?.parse().ok();
    Some((name.trim().to_owned(), [bytes(RECEIVED)?, bytes(SENT)?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "Inter-|   Receive                     |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs\n";

    fn of(interfaces: &[(&str, u64, u64)]) -> String {
        let line = |(name, received, sent): &(&str, u64, u64)| {
            format!("{name:>6}: {received} 1 0 0 0 0 0 0 {sent} 1 0 0 0 0 0 0\n")
        };
        let lines: String = interfaces.iter().map(line).collect();
        format!("{HEAD}{lines}")
    }

    #[test]
    fn an_interface_that_goes_away_takes_nothing_with_it() {
        let mut network = Network::default();
        assert_eq!(
            network.take(&of(&[("lo", 10, 10), ("eth0", 5, 1)])),
            Some([15, 11])
        );
        assert_eq!(network.take(&of(&[("lo", 12, 12)])), Some([17, 13]));
        // it was in another network for a while, and counts on
        assert_eq!(
            network.take(&of(&[("lo", 12, 12), ("eth0", 6, 1)])),
            Some([18, 13])
        );
        assert_eq!(network.take(&of(&[("lo", 12, 12)])), Some([18, 13]));
        // another one of that name
        assert_eq!(
            network.take(&of(&[("lo", 12, 12), ("eth0", 3, 0)])),
            Some([21, 13])
        );
        assert_eq!(
            network.take(&of(&[("lo", 1, 12), ("eth0", 4, 2)])),
            Some([23, 15])
        );
    }

    #[test]
    fn interfaces_that_are_gone_are_forgotten_in_the_end() {
        let mut network = Network::default();
        for number in 0..10 * MOST {
            let name = format!("veth{number}");
            let total = number as u64 + 1;
            let text = of(&[("lo", 7, 7), (&name, 1, 1)]);
            assert_eq!(network.take(&text), Some([total + 7, total + 7]));
            assert!(network.interfaces.len() <= MOST + 2);
        }
    }

    #[test]
    fn what_makes_no_sense_is_left_out() {
        let mut network = Network::default();
        for text in ["", HEAD, "eth0: 1 2 3\n", "eth0: x 0 0 0 0 0 0 0 1\n", "\0"] {
            assert_eq!(network.take(text), None, "{text:?}");
        }
        let odd = of(&[("eth0.7", u64::MAX, 1), ("lo", 2, 2)]) + "bad: line\n";
        assert_eq!(network.take(&odd), Some([u64::MAX, 3]));
    }
}
