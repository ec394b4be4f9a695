//! The code under an attribute is what it was. Half of it is asked of the compiler itself, on sources that are written
//! for the purpose.

mod auto_traits;
mod compiler;
mod depth;
mod editions;
mod errors;
mod lints;
mod sizes;
mod subjects;
