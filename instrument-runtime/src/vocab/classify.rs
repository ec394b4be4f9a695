//! The question that errors are asked.

use crate::vocab::error_type::ErrorType;

/// Says which [`ErrorType`] an error is. Implement or derive it for the errors of your service.
///
/// An error without it is asked as far as its type goes: of a `std::error::Error`, a `Box<dyn Error>`, or what
/// `anyhow` makes of one, every link of the chain of sources is looked at, first for a type that is known, such as
/// `std::io::Error`, then for a text that engines print, such as `CUDA out of memory`. A `String` has only its text.
/// What says nothing is [`ErrorType::Internal`].
///
/// A text counts only at the start of a link. It still may come from a caller whose input is repeated in a message,
/// so a text decides about labels and about nothing else, never about the health of a replica; a type does.
///
/// ```
/// # use instrument_runtime as instrument_inference;
/// use instrument_inference::{Classify, ErrorType};
///
/// enum PredictError {
///     NotAnImage,
///     Model(std::io::Error),
/// }
///
/// impl Classify for PredictError {
///     fn error_type(&self) -> ErrorType {
///         match self {
///             PredictError::NotAnImage => ErrorType::InvalidInput,
///             PredictError::Model(source) => source.error_type(),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which `ErrorType` it is",
    label = "nothing says what kind of error this is",
    note = "write `#[derive(Classify)]` on it, or implement `Classify`; in an attribute, `error = path` names a function that says it"
)]
pub trait Classify {
    /// The type of this error.
    fn error_type(&self) -> ErrorType;
}

impl Classify for ErrorType {
    fn error_type(&self) -> ErrorType {
        *self
    }
}
