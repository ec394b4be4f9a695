//! Requests that wait, and batches of them.

pub use crate::request::batcher::{Batch, Caller, Refused, Worker, batcher};
pub use crate::request::queue::{Meter, Queued, meter};
