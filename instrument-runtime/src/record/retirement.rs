//! Versions that are not served any more.

use crate::record::clock::Clock;
use crate::record::observed::Observed;
use crate::record::recorder::Recorder;
use std::sync::Arc;

/// Seconds for which an unloaded version is still shown: time to look at what it did last.
const SHOWN_FOR: f64 = 3_600.0;

/// Knows which versions were unloaded long ago.
#[derive(Debug)]
pub(crate) struct Retirement {
    clock: Clock,
    observed: Arc<Observed>,
}

impl Retirement {
    pub(crate) fn new(recorder: &Recorder) -> Retirement {
        let (clock, observed) = (recorder.clock.clone(), Arc::clone(&recorder.observed));
        Retirement { clock, observed }
    }

    fn each(&self, mut see: impl FnMut(&str, &str)) {
        let now = self.clock.monotonic().as_secs_f64();
        self.observed.each_model(|one| {
            if one.unloaded_at().is_some_and(|at| now - at > SHOWN_FOR) {
                let value = |at: usize| one.attributes.get(at).map(|label| label.value.as_str());
                // `model` and `version`, in this order
                if let (Some(model), Some(version)) = (value(0), value(1)) {
                    see(&model, &version);
                }
            }
        });
    }

    pub(crate) fn is_retired(&self, model: &str, version: &str) -> bool {
        let mut found = false;
        self.each(|its, of| found |= its == model && of == version);
        found
    }

    pub(crate) fn any(&self) -> bool {
        let mut found = false;
        self.each(|_, _| found = true);
        found
    }
}
