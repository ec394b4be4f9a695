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

impl AsRef<ModelSlot> for ModelSlot {
    fn as_ref(&self) -> &ModelSlot {
        self
    }
}
