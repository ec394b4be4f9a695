//! Trouble inside telemetry, told to people: on standard error, and not too often.

use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};

/// After this many, a broken set-up has said what it has to say: a log is not to be flooded by telemetry.
const MOST: u32 = 100;

static REPORTED: AtomicU32 = AtomicU32::new(0);

/// Reports something that is wrong with the telemetry itself. Never fails, never waits.
pub(crate) fn report(text: &str) {
    if REPORTED.fetch_add(1, Ordering::Relaxed) >= MOST {
        return;
    }
    // not `eprintln!`: it panics when standard error is closed
    let line = format!("instrument_inference: {text}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}
