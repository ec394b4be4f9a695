//! Who brought a request about: the header `traceparent` of [W3C Trace Context](https://www.w3.org/TR/trace-context/).

use crate::vocab::trace_id::TraceId;

/// `00-`, 32 digits, `-`, 16 digits, `-`, 2 digits.
const LENGTH: usize = 55;
const SAMPLED: u8 = 1;

/// The span of another process that called this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Caller {
    pub(crate) trace: TraceId,
    /// Not all of them zero.
    pub(crate) span: [u8; 8],
    pub(crate) sampled: bool,
}

impl Caller {
    /// Of the header's value; what breaks the rules is as if it were absent. Versions to come may add to the end.
    pub(crate) fn read(value: &[u8]) -> Option<Caller> {
        let (known, more) = value.split_at_checked(LENGTH)?;
        let [version] = bytes(&known[..2])?;
        let goes_on = match version {
            0 => more.is_empty(),
            0xff => false,
            _ => more.first().is_none_or(|next| *next == b'-'),
        };
        let dashes = [2, 35, 52].iter().all(|at| known[*at] == b'-');
        let trace = TraceId::new(bytes(&known[3..35])?)?;
        let span = bytes(&known[36..52])?;
        let [flags] = bytes(&known[53..])?;
        (goes_on && dashes && span != [0; 8]).then_some(Caller {
            trace,
            span,
            sampled: flags & SAMPLED != 0,
        })
    }
}

/// Two lower-case digits for each.
fn bytes<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = (digit(pair[0])? << 4) | digit(pair[1])?;
    }
    Some(bytes)
}

const fn digit(text: u8) -> Option<u8> {
    match text {
        b'0'..=b'9' => Some(text - b'0'),
        b'a'..=b'f' => Some(text - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn trace(value: &str) -> Option<String> {
        Caller::read(value.as_bytes()).map(|caller| caller.trace.to_string())
    }

    #[test]
    fn a_caller_says_its_trace_and_its_span() {
        let caller = Caller::read(VALUE.as_bytes()).expect("as the standard has it");
        assert_eq!(caller.trace.to_string(), &VALUE[3..35]);
        assert_eq!(u64::from_be_bytes(caller.span), 0x00f0_67aa_0ba9_02b7);
        assert!(caller.sampled);
        let unsampled = Caller::read(VALUE.replace("-01", "-02").as_bytes());
        assert_eq!(unsampled.map(|caller| caller.sampled), Some(false));
    }

    #[test]
    fn later_versions_may_say_more_at_the_end() {
        let later = VALUE.replacen("00", "cc", 1);
        for value in [&later, &format!("{later}-"), &format!("{later}-what comes")] {
            assert!(trace(value).is_some(), "{value}");
        }
        assert_eq!(trace(&format!("{later}.")), None);
    }

    #[test]
    fn what_breaks_the_rules_is_absent() {
        let at = |at: usize, text: &str| {
            let mut value = VALUE.to_owned();
            value.replace_range(at..at + text.len(), text);
            value
        };
        for value in [
            String::new(),
            VALUE[..54].to_owned(),
            format!("{VALUE}-"),
            format!("{VALUE} "),
            VALUE.to_uppercase(),
            at(0, "ff"),
            at(0, "0x"),
            at(2, "_"),
            at(35, "0"),
            at(52, "."),
            at(3, &"0".repeat(32)),
            at(36, &"0".repeat(16)),
            at(3, "g"),
            at(36, "+"),
            at(53, "0z"),
            at(3, "é"),
        ] {
            assert_eq!(trace(&value), None, "{value}");
        }
    }
}
