//! Facts, as metrics.

pub(crate) mod health;
