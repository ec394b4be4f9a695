//! What the examples share: the small models that they serve, and what a service needs beside its annotated part.

pub mod client;
pub mod digits;
pub mod quickstart;
pub mod report;
pub mod server;
pub mod workers;
