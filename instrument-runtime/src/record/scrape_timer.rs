//! How long a scrape takes to make.

use crate::record::clock::Clock;
use crate::record::observed::Observed;
use crate::record::recorder::Recorder;
use std::sync::Arc;
use std::time::Duration;

/// Measures the scrapes of one runtime.
#[derive(Debug)]
pub(crate) struct ScrapeTimer {
    clock: Clock,
    observed: Arc<Observed>,
}

impl ScrapeTimer {
    pub(crate) fn new(recorder: &Recorder) -> ScrapeTimer {
        let (clock, observed) = (recorder.clock.clone(), Arc::clone(&recorder.observed));
        ScrapeTimer { clock, observed }
    }

    /// A scrape begins.
    pub(crate) fn begin(&self) -> Duration {
        self.clock.monotonic()
    }

    /// It is made.
    pub(crate) fn end(&self, begun: Duration) {
        let took = self.clock.monotonic().saturating_sub(begun);
        self.observed.exports.scrape_took(took.as_secs_f64());
    }
}
