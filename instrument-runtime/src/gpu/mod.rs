//! The devices, as their vendor's library knows them: read by a thread of its own, published for whoever asks.

pub(crate) mod backend;
pub(crate) mod collector;
pub(crate) mod device;
pub(crate) mod fatal;
pub(crate) mod nvml;
pub(crate) mod rounds;
#[cfg(test)]
pub(crate) mod scripted;
pub(crate) mod snapshot;
pub(crate) mod trouble;
pub(crate) mod visible;
