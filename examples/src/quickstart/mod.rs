//! What the quickstart needs beside its annotated part: its flags, who calls, what it prints, and its demo.

mod comparison;
mod demo;
mod error;
mod flags;
mod greeting;
mod load;
mod recorded;
mod seen;
mod user;
mod versions;

pub use demo::demo;
pub use error::DemoError;
pub use flags::Flags;
pub use greeting::greet;
pub use user::{UnknownKey, User};
pub use versions::{Version, versions};
