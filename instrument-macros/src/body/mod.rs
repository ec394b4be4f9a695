//! What becomes of a function: the same signature around a body that is measured. Knows neither macro.

pub(crate) mod arguments;
pub(crate) mod ending;
pub(crate) mod rebind;
pub(crate) mod wrap;
