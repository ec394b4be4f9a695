//! What an error says about itself.

use crate::request::classify_text;
use crate::vocab::classify::Classify;
use crate::vocab::error_type::ErrorType;
use crate::vocab::foreign::Panicked;
use crate::vocab::said_by;
use std::borrow::Cow;
use std::error::Error;
use std::fmt::Display;
use std::io;

#[diagnostic::do_not_recommend]
impl Classify for io::Error {
    fn error_type(&self) -> ErrorType {
        chain(self)
    }
}

fn of_kind(kind: io::ErrorKind) -> Option<ErrorType> {
    Some(match kind {
        io::ErrorKind::TimedOut => ErrorType::DependencyTimeout,
        io::ErrorKind::OutOfMemory | io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            ErrorType::ResourceExhausted
        }
        io::ErrorKind::ConnectionRefused
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::NotConnected
        | io::ErrorKind::BrokenPipe => ErrorType::Unavailable,
        _ => return None,
    })
}

#[diagnostic::do_not_recommend]
impl Classify for str {
    fn error_type(&self) -> ErrorType {
        said(classify_text::of_str(self))
    }
}

#[diagnostic::do_not_recommend]
impl Classify for String {
    fn error_type(&self) -> ErrorType {
        self.as_str().error_type()
    }
}

#[diagnostic::do_not_recommend]
impl Classify for Cow<'_, str> {
    fn error_type(&self) -> ErrorType {
        (**self).error_type()
    }
}

/// An error that is not there says nothing.
#[diagnostic::do_not_recommend]
impl<E: Classify> Classify for Option<E> {
    fn error_type(&self) -> ErrorType {
        self.as_ref()
            .map_or(ErrorType::Internal, Classify::error_type)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Classify + ?Sized> Classify for &E {
    fn error_type(&self) -> ErrorType {
        (**self).error_type()
    }
}

#[diagnostic::do_not_recommend]
impl<E: Classify + ?Sized> Classify for Box<E> {
    fn error_type(&self) -> ErrorType {
        (**self).error_type()
    }
}

#[diagnostic::do_not_recommend]
impl<E: Classify + ?Sized> Classify for std::sync::Arc<E> {
    fn error_type(&self) -> ErrorType {
        (**self).error_type()
    }
}

#[diagnostic::do_not_recommend]
impl Classify for dyn Error {
    fn error_type(&self) -> ErrorType {
        chain(self)
    }
}

#[diagnostic::do_not_recommend]
impl Classify for dyn Error + Send {
    fn error_type(&self) -> ErrorType {
        chain(self)
    }
}

#[diagnostic::do_not_recommend]
impl Classify for dyn Error + Send + Sync {
    fn error_type(&self) -> ErrorType {
        chain(self)
    }
}

/// Links of a chain that are looked at: a chain that goes round in a circle must end.
const LONGEST_CHAIN: usize = 32;

/// What the chain of sources says that begins with this error.
#[cold]
pub(crate) fn chain(error: &(dyn Error + 'static)) -> ErrorType {
    links(Some(error))
        .find_map(known)
        .unwrap_or_else(|| by_text(texts(Some(error))))
}

/// The same for an error that borrows: of itself there is only its text, its sources can be asked for their types.
#[cold]
pub(crate) fn chain_of_borrowed(error: &dyn Error) -> ErrorType {
    let source = error.source();
    links(source).find_map(known).unwrap_or_else(|| {
        let own: &dyn Display = error;
        by_text(std::iter::once(own).chain(texts(source)))
    })
}

/// An error, what it wraps or its source, and so on.
pub(crate) fn links<'a>(
    first: Option<&'a (dyn Error + 'static)>,
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(first, |&link| wrapped(link).or_else(|| link.source()))
        .take(LONGEST_CHAIN)
}

/// The texts of the links. An `io::Error` around another error shows that one's text, which must not be asked twice.
fn texts<'a>(first: Option<&'a (dyn Error + 'static)>) -> impl Iterator<Item = &'a dyn Display> {
    links(first)
        .filter(|link| wrapped(*link).is_none())
        .map(|link| -> &'a dyn Display { link })
}

/// The error that an `io::Error` was made from: its `source` would skip it.
fn wrapped<'a>(link: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    let inner = link.downcast_ref::<io::Error>()?.get_ref()?;
    Some(inner)
}

fn known(link: &(dyn Error + 'static)) -> Option<ErrorType> {
    of_kind(link.downcast_ref::<io::Error>()?.kind())
}

fn by_text<'a>(mut texts: impl Iterator<Item = &'a dyn Display>) -> ErrorType {
    let found = texts.find_map(|text| match classify_text::of(text) {
        // outer links show inner ones, so the next would run into the same panic
        Err(Panicked) => Some(ErrorType::Internal),
        Ok(found) => found,
    });
    said(found)
}

/// What a text says.
fn said(found: Option<ErrorType>) -> ErrorType {
    said_by::text();
    found.unwrap_or(ErrorType::Internal)
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
