//! The models that a service declares, and where each of them stands.

pub(crate) mod model_slot;
pub(crate) mod recording;
pub(crate) mod slots;
pub(crate) mod state;
