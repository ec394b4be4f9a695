//! What an inner error says, by its type: the ladder of `outcome` once more, for derived implementations, which need
//! an error type where `outcome` gives an outcome.

use crate::request::classify::{chain, chain_of_borrowed};
use crate::request::outcome::Probe;
use crate::vocab::classify::Classify;
use crate::vocab::error_type::ErrorType;
use std::error::Error;

/// Which type an error is, by what its type can be asked.
pub trait InnerErrorType {
    /// The type of the error.
    fn __inner_error_type(&self) -> ErrorType;
}

/// Errors that say what they are.
impl<T: Classify + ?Sized> InnerErrorType for &&&Probe<&T> {
    fn __inner_error_type(&self) -> ErrorType {
        self.0.error_type()
    }
}

/// `anyhow::Error`, `eyre::Report` and their like, without naming them.
impl<T: AsRef<dyn Error + Send + Sync + 'static> + ?Sized> InnerErrorType for &&Probe<&T> {
    fn __inner_error_type(&self) -> ErrorType {
        chain(self.0.as_ref())
    }
}

/// Errors of the standard trait.
impl<T: Error> InnerErrorType for &Probe<&T> {
    fn __inner_error_type(&self) -> ErrorType {
        chain_of_borrowed(self.0)
    }
}

/// Errors of which nothing is known.
impl<T: ?Sized> InnerErrorType for Probe<&T> {
    fn __inner_error_type(&self) -> ErrorType {
        ErrorType::Internal
    }
}

/// `error_type_of!(&error)`: which type an error is, by the error's type.
#[doc(hidden)]
#[macro_export]
macro_rules! __error_type_of {
    ($error:expr) => {{
        use $crate::__private::InnerErrorType as _;
        (&&&&$crate::__private::Probe($error)).__inner_error_type()
    }};
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fmt, io};

    #[test]
    fn the_type_decides_what_is_asked() {
        struct Opaque;
        assert_eq!(crate::__error_type_of!(&Opaque), ErrorType::Internal);
        assert_eq!(crate::__error_type_of!(&fmt::Error), ErrorType::Internal);
        let slow: io::Error = io::ErrorKind::TimedOut.into();
        assert_eq!(crate::__error_type_of!(&slow), ErrorType::DependencyTimeout);
        let boxed: Box<dyn Error + Send + Sync> = slow.into();
        assert_eq!(
            crate::__error_type_of!(&boxed),
            ErrorType::DependencyTimeout
        );
        let none: Option<ErrorType> = None;
        assert_eq!(crate::__error_type_of!(&none), ErrorType::Internal);
        assert_eq!(
            crate::__error_type_of!(&Some(ErrorType::CudaOom)),
            ErrorType::CudaOom
        );
        let text = String::from("CUDA out of memory. Tried to allocate 2 GiB");
        assert_eq!(crate::__error_type_of!(&text), ErrorType::CudaOom);
    }
}
