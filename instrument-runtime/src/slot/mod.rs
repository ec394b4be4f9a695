//! The models that a service declares, and where each of them stands; how its devices are, and whether what runs there
//! gets on.

pub(crate) mod devices;
pub(crate) mod executions;
pub(crate) mod model_slot;
pub(crate) mod recording;
pub(crate) mod slots;
pub(crate) mod state;
