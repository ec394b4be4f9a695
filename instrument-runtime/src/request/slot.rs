//! A model that the service has declared, as its code holds it.

use crate::record::catalog;
use crate::record::combo::{self, Key};
use crate::record::local;
use crate::record::model::{ModelState, Phase};
use crate::record::recorder::Recorder;
use crate::record::series::Kind;
use crate::request::classify::Classify;
use crate::vocab::error_type::ErrorType;
use std::fmt;
use std::sync::Arc;

/// A model name and version that the service has declared: what `model = …` takes. Cheap to clone.
///
/// It is not ready before it is loaded:
///
/// ```
/// # use instrument_runtime::Telemetry;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let telemetry = Telemetry::builder("sentiment-api").install()?;
/// let slot = telemetry.model("sentiment", "2024.06.15").platform("onnx");
/// let weights = slot.load(|| std::fs::read("Cargo.toml"))?; // duration, result, readiness
/// # assert!(slot.is_ready() && !weights.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ModelSlot(Option<Arc<Declared>>);

struct Declared {
    recorder: Arc<Recorder>,
    model: usize,
    state: Arc<ModelState>,
    /// The label combination that has this model and nothing else.
    combo: u32,
}

impl ModelSlot {
    pub(crate) fn new(recorder: &Arc<Recorder>, model: usize, state: Arc<ModelState>) -> ModelSlot {
        let combo = combo::number(recorder, Key::of_model(recorder, model), None);
        let recorder = Arc::clone(recorder);
        ModelSlot(Some(Arc::new(Declared {
            recorder,
            model,
            state,
            combo,
        })))
    }

    /// Of a runtime that records nothing.
    pub(crate) const fn disabled() -> ModelSlot {
        ModelSlot(None)
    }

    /// 0 where nothing is recorded.
    pub(crate) fn combo(&self) -> u32 {
        self.0.as_ref().map_or(0, |slot| slot.combo)
    }

    /// Loads the model: measures how long it takes and how it ends, and makes it ready when it ends well.
    ///
    /// # Errors
    /// Those of `load`.
    pub fn load<T, E>(&self, load: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let loading = Loading::begin(self);
        let loaded = load();
        loading.end(loaded.is_ok());
        loaded
    }

    /// [`load`](ModelSlot::load) for what is loaded asynchronously. Dropped half-way it counts as failed.
    ///
    /// # Errors
    /// Those of `load`.
    pub async fn load_async<T, E>(&self, load: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let loading = Loading::begin(self);
        let loaded = load.await;
        loading.end(loaded.is_ok());
        loaded
    }

    /// The model can be asked, however it came to be loaded.
    pub fn ready(&self) {
        self.enter(Phase::Ready);
    }

    /// The model cannot be asked: its load has failed, or it has broken.
    pub fn failed(&self, error: &impl Classify) {
        self.enter(Phase::Failed);
        self.count_load("error", Some(error.error_type()));
    }

    /// The model is not served any more. What was counted stays for an hour, and goes on if it is loaded again.
    pub fn unload(&self) {
        self.enter(Phase::Unloaded);
    }

    /// What runs it, such as `onnx` or `candle`: a label of `inference_model_info`.
    #[must_use]
    pub fn platform(self, platform: &str) -> ModelSlot {
        if let Some(slot) = &self.0 {
            slot.state.set_platform(platform);
        }
        self
    }

    /// The service can serve without it: a failed load of it makes nothing else unready.
    #[must_use]
    pub fn optional(self) -> ModelSlot {
        if let Some(slot) = &self.0 {
            slot.state.set_optional();
        }
        self
    }

    /// Whether it can be asked. Not where nothing is recorded.
    pub fn is_ready(&self) -> bool {
        self.0.as_ref().is_some_and(|slot| slot.state.is_ready())
    }

    fn enter(&self, phase: Phase) {
        if let Some(slot) = &self.0 {
            let now = slot.recorder.clock.monotonic().as_secs_f64();
            slot.state.enter(phase, now);
        }
    }

    fn count_load(&self, result: &str, error: Option<ErrorType>) {
        let Some(slot) = &self.0 else { return };
        let error = error.map(|error| ("error_type", error.as_str()));
        let labels: Vec<_> = [("result", result)].into_iter().chain(error).collect();
        let series = slot
            .recorder
            .count(&catalog::MODEL_LOADS, Some(slot.model), &labels);
        local::with(|local| local.push(series.event(Kind::COUNT, 1)));
    }
}

/// A load that has begun. Dropped without an end it has failed: it was unwound, or nobody waited for it.
struct Loading<'a> {
    slot: &'a ModelSlot,
    /// Ticks.
    start: u64,
    ended: bool,
}

impl<'a> Loading<'a> {
    fn begin(slot: &'a ModelSlot) -> Loading<'a> {
        slot.enter(Phase::Loading);
        let start = slot
            .0
            .as_ref()
            .map_or(0, |slot| slot.recorder.clock.ticks());
        Loading {
            slot,
            start,
            ended: false,
        }
    }

    fn end(mut self, well: bool) {
        self.ended = true;
        if !well {
            return self.slot.failed(&ErrorType::ModelLoad);
        }
        if let Some(slot) = &self.slot.0 {
            let clock = &slot.recorder.clock;
            slot.state
                .loaded_in(clock.seconds(clock.ticks().saturating_sub(self.start)));
        }
        self.slot.count_load("ok", None);
        self.slot.ready();
    }
}

impl Drop for Loading<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.slot.failed(&ErrorType::ModelLoad);
        }
    }
}

impl fmt::Debug for ModelSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.as_ref().map(|slot| &slot.state);
        f.debug_struct("ModelSlot")
            .field("state", &state)
            .finish_non_exhaustive()
    }
}

/// What `model = …` takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no model",
    label = "expected a `ModelSlot`",
    note = "`telemetry.model(name, version)` gives one, which the service keeps"
)]
pub trait AsModelSlot {
    /// The slot itself.
    fn as_model_slot(&self) -> &ModelSlot;
}

impl AsModelSlot for ModelSlot {
    fn as_model_slot(&self) -> &ModelSlot {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<M: AsModelSlot + ?Sized> AsModelSlot for &M {
    fn as_model_slot(&self) -> &ModelSlot {
        (**self).as_model_slot()
    }
}

#[diagnostic::do_not_recommend]
impl<M: AsModelSlot + ?Sized> AsModelSlot for Arc<M> {
    fn as_model_slot(&self) -> &ModelSlot {
        (**self).as_model_slot()
    }
}
