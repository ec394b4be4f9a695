//! The code under an attribute is what it was. Half of it is asked of the compiler itself, on sources that are written
//! for the purpose.

mod compiler;
mod lints;
mod subjects;
