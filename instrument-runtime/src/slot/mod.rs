//! The models that a service declares, and where each of them stands; and how its devices are.

pub(crate) mod devices;
pub(crate) mod model_slot;
pub(crate) mod recording;
pub(crate) mod slots;
pub(crate) mod state;
