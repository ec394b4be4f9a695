//! Trouble inside telemetry, told to people: on standard error, not too often, and by a thread of its own, since a pipe
//! that nobody reads blocks whoever writes.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::Builder;
use std::time::Duration;

/// After this many, a broken set-up has said what it has to say: a log is not to be flooded by telemetry.
const MOST: u32 = 100;

/// How long the end waits for a log that nobody reads.
pub(crate) const LAST_WORDS: Duration = Duration::from_millis(200);

static REPORTED: AtomicU32 = AtomicU32::new(0);

enum Told {
    Line(String),
    /// Whoever waits until all before it is written.
    Settle(SyncSender<()>),
}

/// Reports something that is wrong with the telemetry itself. Never fails, never waits.
pub(crate) fn report(text: &str) {
    if REPORTED.fetch_add(1, Ordering::Relaxed) >= MOST {
        return;
    }
    let line = format!("instrument_inference: {text}\n");
    match teller() {
        // there is room for all of them
        Some(tell) => drop(tell.try_send(Told::Line(line))),
        None => write(&line),
    }
}

/// Waits until what was reported is written: before an end of the process, which would cut it off.
pub(crate) fn settle(limit: Duration) {
    if REPORTED.load(Ordering::Relaxed) == 0 {
        return;
    }
    let (written, is_written) = sync_channel(1);
    if let Some(tell) = teller()
        && tell.try_send(Told::Settle(written)).is_ok()
    {
        let _ = is_written.recv_timeout(limit);
    }
}

/// Started with the first line; `None` where the system has no thread left for it.
fn teller() -> Option<&'static SyncSender<Told>> {
    static TELLER: OnceLock<Option<SyncSender<Told>>> = OnceLock::new();
    let start = || {
        let (tell, told) = sync_channel(2 * MOST as usize);
        let body = move || {
            for told in told {
                match told {
                    Told::Line(line) => write(&line),
                    Told::Settle(written) => drop(written.try_send(())),
                }
            }
        };
        let thread = Builder::new().name("telemetry-notice".to_owned());
        thread.spawn(body).ok().map(|_| tell)
    };
    TELLER.get_or_init(start).as_ref()
}

/// In one piece: others write there too. Not `eprintln!`: it panics when standard error is closed.
pub(crate) fn write(line: &str) {
    let _ = std::io::stderr().write_all(line.as_bytes());
}
