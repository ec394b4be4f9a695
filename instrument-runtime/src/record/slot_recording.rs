//! What becomes of a declared model, counted.

use crate::record::catalog;
use crate::record::combo::{self, Key};
use crate::record::local;
use crate::record::model::ModelState;
use crate::record::recorder::Recorder;
use crate::record::series::Kind;
use crate::slot::model_slot::Recorded;
use crate::slot::recording::SlotRecording;
use crate::slot::state::{Phase, SlotState};
use crate::vocab::error_type::ErrorType;
use std::sync::Arc;

/// A model, as recording knows it.
#[derive(Debug)]
struct RecordedModel {
    recorder: Arc<Recorder>,
    model: usize,
    state: Arc<ModelState>,
}

/// Declares a model to recording. `own_or_global` is for [`combo::refresh_outside`]; what was known of the model before
/// is known of it still.
pub(crate) fn declare(
    recorder: &Arc<Recorder>,
    slot: &SlotState,
    own_or_global: bool,
) -> (usize, Recorded) {
    let (model, state) = recorder.declare(&slot.name, &slot.version);
    combo::refresh_outside(recorder, own_or_global);
    let combo = combo::number(recorder, Key::of_model(recorder, model), None);
    let recording = Arc::new(RecordedModel {
        recorder: Arc::clone(recorder),
        model,
        state,
    });
    (model, Recorded { combo, recording })
}

impl RecordedModel {
    fn count_load(&self, result: &str, error: Option<ErrorType>) {
        let error = error.map(|error| ("error_type", error.as_str()));
        let labels: Vec<_> = [("result", result)].into_iter().chain(error).collect();
        let series = self
            .recorder
            .count(&catalog::MODEL_LOADS, Some(self.model), &labels);
        local::with(|local| local.push(series.event(Kind::COUNT, 1)));
    }
}

impl SlotRecording for RecordedModel {
    fn ticks(&self) -> u64 {
        self.recorder.clock.ticks()
    }

    fn entered(&self, phase: Phase) {
        let now = self.recorder.clock.monotonic().as_secs_f64();
        self.state.enter(phase, now);
    }

    fn loaded(&self, begun: u64) {
        let clock = &self.recorder.clock;
        let ticks = clock.ticks().saturating_sub(begun);
        self.state.loaded_in(clock.seconds(ticks));
        self.count_load("ok", None);
    }

    fn failed(&self, error: ErrorType) {
        self.count_load("error", Some(error));
    }

    fn heartbeat(&self) {
        self.recorder.progress(self.model).now(&self.recorder.clock);
    }

    fn platform(&self, platform: &str) {
        self.state.set_platform(platform);
    }

    fn gen_ai(&self, operation: &str, provider: &str) {
        self.recorder.is_gen_ai(self.model, operation, provider);
    }

    fn kv_usage(&self, ratio: f64) {
        self.state.set_kv_usage(ratio);
    }

    fn kv_cache(&self, block_size: u64, blocks: u64) {
        self.state.set_kv_cache(block_size, blocks);
    }

    fn cache(&self, name: &'static str, hit: bool) {
        self.recorder.looked_up(self.model, name, hit);
    }
}
