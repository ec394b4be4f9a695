//! A model that the service has declared, as its code holds it.

use crate::record::combo::{self, Key};
use crate::record::recorder::Recorder;
use std::sync::Arc;

/// A model name and version that the service has declared: what `model = …` takes. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ModelSlot {
    /// The label combination that has this model and nothing else; 0 where nothing is recorded.
    combo: u32,
}

impl ModelSlot {
    pub(crate) fn new(recorder: &Arc<Recorder>, model: usize) -> ModelSlot {
        ModelSlot {
            combo: combo::number(recorder, Key::of_model(recorder, model), None),
        }
    }

    /// Of a runtime that records nothing.
    pub(crate) const fn disabled() -> ModelSlot {
        ModelSlot { combo: 0 }
    }

    pub(crate) const fn combo(&self) -> u32 {
        self.combo
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
