//! One event for a request that failed: for the log, where labels end.

use crate::record::recorder::Recorder;
use crate::record::told::Told;
use crate::vocab::error_type::ErrorType;

/// A request has ended in `error` (with its type) or `panicked`.
pub(crate) fn failed(
    recorder: &Recorder,
    model: usize,
    told: Option<&Told>,
    stage: &'static str,
    error: Option<ErrorType>,
    seconds: f64,
) {
    let second = recorder.clock.monotonic().as_secs();
    let Some(suppressed) = recorder.failures.admit(second) else {
        return;
    };
    let (model, version) = recorder.state().model_names(model);
    let outcome = if error.is_some() { "error" } else { "panicked" };
    let trace_id = told.and_then(Told::trace).map(|trace| trace.to_string());
    tracing::warn!(
        target: "instrument_inference::request",
        model = &*model,
        version = &*version,
        service_version = recorder.service_version.as_deref(),
        route = told.and_then(Told::route),
        trace_id,
        stage,
        outcome,
        error_type = error.map(ErrorType::as_str),
        seconds,
        suppressed,
        "a request failed"
    );
}
