//! What `model = …` takes where there are no models: nothing.

/// As its namesake in builds that have models, down to the words.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no model",
    label = "expected a `ModelSlot`",
    note = "`telemetry.model(name, version)` gives one, which the service keeps"
)]
pub trait AsModelSlot {}

/// Asks for the type and nothing else.
pub fn model<M: AsModelSlot + ?Sized>(_model: &M) {}
