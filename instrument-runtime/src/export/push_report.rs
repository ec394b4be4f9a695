//! What is said and counted of pushes: every failure is counted, and said when it begins and when it ends.

use crate::export::otlp_env::Pushing;
use crate::notice;
use crate::record::exports::Pushes;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A collector that comes and goes has been told of often enough then; others have things to say too.
const MOST_LINES: u32 = 20;

pub(crate) struct Report {
    pushes: Arc<Pushes>,
    endpoint: String,
    interval: Duration,
    /// Failures since the last success.
    failing: u64,
    lines: u32,
}

impl Report {
    pub(crate) fn new(pushing: &Pushing, pushes: Arc<Pushes>) -> Report {
        Report {
            pushes,
            endpoint: pushing.endpoint.clone(),
            interval: pushing.interval,
            failing: 0,
            lines: 0,
        }
    }

    /// A push has ended.
    pub(crate) fn became(&mut self, pushed: &Result<(), String>) {
        let Report {
            endpoint, interval, ..
        } = self;
        match pushed {
            Ok(()) => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                self.pushes.arrived(now.unwrap_or_default().as_secs_f64());
                if self.failing > 0 {
                    let text = format!(
                        "metrics arrive at {endpoint} again, after {} that did not",
                        self.failing
                    );
                    self.failing = 0;
                    self.say(&text);
                }
            }
            Err(reason) => {
                self.pushes.failed();
                self.failing += 1;
                if self.failing == 1 {
                    let text = format!(
                        "metrics do not arrive at {endpoint}: {reason}; tried again every {interval:?}, counted by inference_export_failures_total, and not said again until they do"
                    );
                    self.say(&text);
                }
            }
        }
    }

    fn say(&mut self, text: &str) {
        self.lines += 1;
        match self.lines {
            ..MOST_LINES => notice::report(text),
            MOST_LINES => notice::report(&format!("{text}; the last line about this")),
            _ => {}
        }
    }
}
