//! What can be read without a server: the scrape as text, in a file, and as a table for people.

use crate::export::summary::Summary;
use crate::runtime::telemetry::Telemetry;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

static UNFINISHED: AtomicU64 = AtomicU64::new(0);

impl Telemetry {
    /// What `/metrics` would answer, in the Prometheus text format; empty where nothing is recorded.
    pub fn scrape(&self) -> String {
        self.recording()
            .and_then(|recording| recording.scrape.text(&[]).ok())
            .unwrap_or_default()
    }

    /// What was recorded since the start, as a table: print it.
    pub fn summary(&self) -> Summary {
        match self.recording() {
            Some(recording) => {
                Summary::new(&recording.scrape.gather(), &recording.recorder.observed)
            }
            None => Summary::default(),
        }
    }

    /// Writes a scrape to a file, for jobs that end before anybody scrapes them: the textfile collector of the
    /// node exporter picks it up. The file appears whole or not at all.
    ///
    /// # Errors
    /// When the file or its folder cannot be written, and when nothing is recorded: a file that is there stays as it is.
    pub fn write_textfile(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        let scrape = self.scrape();
        if scrape.is_empty() {
            // nothing is recorded any more: what an earlier call has written is worth more
            return Err(io::Error::other(
                "there is nothing to write: nothing is recorded",
            ));
        }
        // beside it, so that the renaming is atomic; not ending in `.prom`, so that nobody reads half of it
        let mut unfinished = path.as_os_str().to_owned();
        // each writer its own: two threads may write at the same time
        let number = UNFINISHED.fetch_add(1, Ordering::Relaxed);
        unfinished.push(format!(".{}-{number}.tmp", std::process::id()));
        let written =
            std::fs::write(&unfinished, scrape).and_then(|()| std::fs::rename(&unfinished, path));
        if written.is_err() {
            let _ = std::fs::remove_file(&unfinished);
        }
        written
    }
}
