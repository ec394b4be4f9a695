//! What the quickstart needs beside its annotated part: its flags, what it prints, and its demo.

mod demo;
mod flags;
mod greeting;

pub use demo::{DemoError, demo};
pub use flags::Flags;
pub use greeting::greet;
