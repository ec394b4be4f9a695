//! What the examples serve: the small models that they run, and nothing of the instrumentation.

pub mod digits;
