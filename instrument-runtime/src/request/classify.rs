//! What an error says about itself.

use crate::vocab::error_type::ErrorType;
use std::error::Error;
use std::io;

/// Says which [`ErrorType`] an error is. Implement it on the errors of your service; what has none is asked for
/// its sources, and is [`ErrorType::Internal`] when they say nothing either.
///
/// ```
/// use instrument_runtime::{Classify, ErrorType};
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
    note = "implement `Classify` for it, or name a function with `error = path`"
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

impl Classify for io::Error {
    fn error_type(&self) -> ErrorType {
        match self.kind() {
            io::ErrorKind::TimedOut => ErrorType::DependencyTimeout,
            io::ErrorKind::OutOfMemory
            | io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded => ErrorType::ResourceExhausted,
            io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NotConnected
            | io::ErrorKind::BrokenPipe => ErrorType::Unavailable,
            _ => self
                .get_ref()
                .map_or(ErrorType::Internal, |inner| chain(inner)),
        }
    }
}

impl<E: Classify + ?Sized> Classify for &E {
    fn error_type(&self) -> ErrorType {
        (**self).error_type()
    }
}

impl<E: Classify + ?Sized> Classify for Box<E> {
    fn error_type(&self) -> ErrorType {
        (**self).error_type()
    }
}

impl<E: Classify + ?Sized> Classify for std::sync::Arc<E> {
    fn error_type(&self) -> ErrorType {
        (**self).error_type()
    }
}

impl Classify for dyn Error {
    fn error_type(&self) -> ErrorType {
        chain(self)
    }
}

impl Classify for dyn Error + Send {
    fn error_type(&self) -> ErrorType {
        chain(self)
    }
}

impl Classify for dyn Error + Send + Sync {
    fn error_type(&self) -> ErrorType {
        chain(self)
    }
}

/// Links of a chain that are looked at: a chain that goes round in a circle must end.
const LONGEST_CHAIN: usize = 32;

/// The first type in the chain of sources that is known, else `internal`.
#[cold]
pub(crate) fn chain(error: &(dyn Error + 'static)) -> ErrorType {
    let mut next = Some(error);
    let links = std::iter::from_fn(|| {
        let link = next?;
        next = link.source();
        Some(link)
    });
    links
        .take(LONGEST_CHAIN)
        .filter_map(known)
        .find(|found| *found != ErrorType::Internal)
        .unwrap_or(ErrorType::Internal)
}

fn known(error: &(dyn Error + 'static)) -> Option<ErrorType> {
    error.downcast_ref::<io::Error>().map(Classify::error_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_error_is_found_in_the_chain() {
        #[derive(Debug)]
        struct Around(io::Error);
        impl std::fmt::Display for Around {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("around")
            }
        }
        impl Error for Around {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }
        let boxed: Box<dyn Error + Send + Sync> = Box::new(Around(io::ErrorKind::TimedOut.into()));
        assert_eq!(boxed.error_type(), ErrorType::DependencyTimeout);
        assert_eq!(
            io::Error::other(boxed).error_type(),
            ErrorType::DependencyTimeout
        );
        assert_eq!(chain(&std::fmt::Error), ErrorType::Internal);
    }
}
