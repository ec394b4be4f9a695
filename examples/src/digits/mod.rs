//! A handwritten-digit service without its telemetry: decode an upload, run a dense network, read the answer.
//!
//! `models/README.md` says where the network and the test images come from.

mod answer;
mod classifier;
mod heldout;
mod image;

pub use answer::Answer;
pub use classifier::{Classifier, ModelError};
pub use heldout::heldout;
pub use image::{Image, ImageError};
