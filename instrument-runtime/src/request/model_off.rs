//! What `model = …` takes where models are declared, and nothing is measured.

use crate::slot::model_slot::AsModelSlot;

/// Asks for the type and nothing else.
pub fn model<M: AsModelSlot + ?Sized>(_model: &M) {}
