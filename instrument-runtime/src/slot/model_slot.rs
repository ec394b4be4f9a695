//! A model that the service has declared, as its code holds it.

use crate::slot::recording::SlotRecording;
use crate::slot::state::{Phase, SlotState};
use crate::vocab::classify::Classify;
use crate::vocab::error_type::ErrorType;
use crate::vocab::label::cut;
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
pub struct ModelSlot(Arc<Declared>);

struct Declared {
    state: Arc<SlotState>,
    recorded: Option<Recorded>,
}

/// How recording knows a model.
pub(crate) struct Recorded {
    /// The label combination that has this model and nothing else.
    pub(crate) combo: u32,
    pub(crate) recording: Arc<dyn SlotRecording>,
}

impl ModelSlot {
    /// `recorded` is `None` where nothing is recorded.
    pub(crate) fn new(state: Arc<SlotState>, recorded: Option<Recorded>) -> ModelSlot {
        ModelSlot(Arc::new(Declared { state, recorded }))
    }

    /// 0 where nothing is recorded.
    pub(crate) fn combo(&self) -> u32 {
        self.0
            .recorded
            .as_ref()
            .map_or(0, |recorded| recorded.combo)
    }

    fn recording(&self) -> Option<&dyn SlotRecording> {
        self.0
            .recorded
            .as_ref()
            .map(|recorded| &*recorded.recording)
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
        if let Some(recording) = self.recording() {
            recording.failed(error.error_type());
        }
    }

    /// The model is not served any more. What was counted stays for an hour, and goes on if it is loaded again.
    pub fn unload(&self) {
        self.enter(Phase::Unloaded);
    }

    /// A sign of life of the model, for the built-in check `stalled`: for a worker that executes batches, or an engine with
    /// a loop of its own, while an execution takes long. Within a request, `RequestContext::heartbeat` does the same. Costs a
    /// few hundred nanoseconds, and nothing where nothing is recorded.
    pub fn heartbeat(&self) {
        if let Some(recording) = self.recording() {
            recording.heartbeat();
        }
    }

    /// What runs it, such as `onnx` or `candle`: a label of `inference_model_info`.
    #[must_use]
    pub fn platform(self, platform: &str) -> ModelSlot {
        let platform = cut(platform);
        self.0.state.set_platform(platform);
        if let Some(recording) = self.recording() {
            recording.platform(platform);
        }
        self
    }

    /// What it does and for whom it speaks, in the words of the `GenAI` conventions of OpenTelemetry: an operation such as
    /// `chat`, `text_completion` or `embeddings`, and the provider. Requests of the model are then measured under the
    /// conventions' names too, `gen_ai_server_request_duration_seconds` and its like, which have both as labels. Said
    /// once, at set-up; at most 128 bytes each.
    ///
    /// ```
    /// # use instrument_runtime::Telemetry;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let telemetry = Telemetry::builder("chat-api").install()?;
    /// let slot = telemetry.model("llama-3", "2024.06.15").gen_ai("chat", "our-team");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn gen_ai(self, operation: &str, provider: &str) -> ModelSlot {
        if let Some(recording) = self.recording() {
            recording.gen_ai(cut(operation), cut(provider));
        }
        self
    }

    /// How full the KV cache of its engine is now, from 0 to 1: `inference_kv_cache_usage_ratio`, which says what was said
    /// last. Say it after each step, or as often as it changes. What is no such share (NaN, below 0, above 1) is no
    /// reading: the gauge is absent until the next one, as it is before the first and when the model is unloaded.
    ///
    /// ```
    /// # use instrument_runtime::Telemetry;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let telemetry = Telemetry::builder("chat-api").install()?;
    /// let slot = telemetry.model("llama-3", "2024.06.15");
    /// slot.kv_cache(16, 27_648); // once, when the engine has found out how much fits
    /// slot.kv_usage(5_120.0 / 27_648.0); // in the engine's loop
    /// slot.cache("prefix", true); // for each lookup
    /// # Ok(())
    /// # }
    /// ```
    pub fn kv_usage(&self, ratio: f64) {
        if let Some(recording) = self.recording() {
            recording.kv_usage(ratio);
        }
    }

    /// How the KV cache of its engine is divided: how many tokens a block holds, and how many blocks there are.
    /// `inference_kv_cache_info` has both as labels, as those who route by the state of caches read them. What was said
    /// last counts; with a 0 for either nothing is known, and the metric is absent.
    pub fn kv_cache(&self, block_size: u64, num_gpu_blocks: u64) {
        if let Some(recording) = self.recording() {
            recording.kv_cache(block_size, num_gpu_blocks);
        }
    }

    /// Its engine has looked something up in this cache, such as `prefix`, and found it, or not:
    /// `inference_cache_lookups_total`. `name` is a label: one for each cache that the code has, at most 128 bytes;
    /// beyond 64 caches of one model they are `other`.
    pub fn cache(&self, name: &'static str, hit: bool) {
        if let Some(recording) = self.recording() {
            recording.cache(name, hit);
        }
    }

    /// The service can serve without it: a failed load of it makes nothing else unready.
    #[must_use]
    pub fn optional(self) -> ModelSlot {
        self.0.state.set_optional();
        self
    }

    /// Whether it can be asked.
    pub fn is_ready(&self) -> bool {
        self.0.state.is_ready()
    }

    fn enter(&self, phase: Phase) {
        self.0.state.enter(phase);
        if let Some(recording) = self.recording() {
            recording.entered(phase);
        }
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
        Loading {
            slot,
            start: slot.recording().map_or(0, SlotRecording::ticks),
            ended: false,
        }
    }

    fn end(mut self, well: bool) {
        self.ended = true;
        if !well {
            return self.slot.failed(&ErrorType::ModelLoad);
        }
        if let Some(recording) = self.slot.recording() {
            recording.loaded(self.start);
        }
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
        f.debug_struct("ModelSlot")
            .field("state", &self.0.state)
            .finish_non_exhaustive()
    }
}

/// What `model = …` takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no model",
    label = "expected a `ModelSlot`, or a reference to one",
    note = "`telemetry.model(name, version)` hands one out: keep it in the state of the service, and write `model = &self.slot`"
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
