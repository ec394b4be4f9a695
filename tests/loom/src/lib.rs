//! Every interleaving of a ring's owner and its drain, over a ring of two events.
#![forbid(unsafe_code)]

#[path = "../../../instrument-runtime/src/record/ring.rs"]
#[allow(dead_code, reason = "the runtime's own file")]
mod ring;

#[cfg(test)]
mod tests {
    use crate::ring::{Event, Ring, Room, Writer};
    use loom::sync::{Arc, Mutex};
    use loom::thread;

    /// What the runtime does: into the ring, or in line when there is no room.
    fn push(writer: &Writer, ring: &Ring, number: u64, in_line: &mut Vec<u64>) {
        if writer.must_look() && writer.look(ring) == Room::None {
            in_line.push(number);
        } else {
            // both words say the same: a torn event would be seen
            writer.write(
                ring,
                Event {
                    word: number,
                    value: number,
                },
            );
        }
    }

    fn drain(ring: &Ring, seen: &Mutex<Vec<u64>>) {
        // the lock of all drains
        let mut seen = seen.lock().unwrap();
        ring.drain(|event| {
            assert_eq!(event.word, event.value, "a torn event");
            seen.push(event.word);
        });
    }

    fn assert_all(ring: &Ring, seen: &Mutex<Vec<u64>>, in_line: Vec<u64>, count: u64) {
        drain(ring, seen);
        let mut all = seen.lock().unwrap().clone();
        all.extend(in_line);
        all.sort_unstable();
        assert_eq!(all, (0..count).collect::<Vec<_>>(), "each event once");
    }

    #[test]
    fn every_event_is_seen_once_while_a_drain_runs() {
        loom::model(|| {
            let ring = Arc::new(Ring::new());
            let seen = Arc::new(Mutex::new(Vec::new()));
            let (owned, drained, noted) = (Arc::clone(&ring), Arc::clone(&ring), Arc::clone(&seen));
            let owner = thread::spawn(move || {
                let (writer, mut in_line) = (Writer::new(), Vec::new());
                writer.take_over(&owned);
                (0..4).for_each(|number| push(&writer, &owned, number, &mut in_line));
                in_line
            });
            let drainer = thread::spawn(move || drain(&drained, &noted));
            let in_line = owner.join().unwrap();
            drainer.join().unwrap();
            assert_all(&ring, &seen, in_line, 4);
        });
    }

    #[test]
    fn the_next_owner_goes_on_where_the_last_one_stopped_also_when_it_is_full() {
        loom::model(|| {
            let ring = Arc::new(Ring::new());
            let seen = Arc::new(Mutex::new(Vec::new()));
            let (drained, noted) = (Arc::clone(&ring), Arc::clone(&seen));
            let drainer = thread::spawn(move || drain(&drained, &noted));
            let mut in_line = Vec::new();
            for owner in 0..2 {
                let owned = Arc::clone(&ring);
                // joined before the next: that is what giving a ring back and taking it stands for
                let ended = thread::spawn(move || {
                    let (writer, mut in_line) = (Writer::new(), Vec::new());
                    writer.take_over(&owned);
                    (0..2).for_each(|n| push(&writer, &owned, owner * 2 + n, &mut in_line));
                    in_line
                });
                in_line.extend(ended.join().unwrap());
            }
            drainer.join().unwrap();
            assert_all(&ring, &seen, in_line, 4);
        });
    }
}
