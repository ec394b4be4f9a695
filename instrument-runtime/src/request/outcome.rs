//! An outcome from a value, by its type: method probing at the expansion, where the type is known.
//!
//! Each `&` is one step; the deepest that fits wins. Two ladders: one for values, one for errors. The methods' names begin
//! with `__`: a trait of the user's that everything implements must not have them, too.

use crate::request::classify::{chain, chain_of_borrowed};
use crate::vocab::classify::Classify;
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::Outcome;
use crate::vocab::said_by;
use std::error::Error;

/// Says how a stage or request ended that returned this value. Types without it ended well.
///
/// Ready for HTTP responses and status codes, alone or as the first half of a pair.
pub trait ToOutcome {
    /// How it ended.
    fn to_outcome(&self) -> Outcome;
}

impl ToOutcome for Outcome {
    fn to_outcome(&self) -> Outcome {
        *self
    }
}

/// A reference to a value whose type is to be asked.
#[derive(Debug)]
pub struct Probe<R>(pub R);

/// What a value has no part of. Never made, so that rustc leaves out what would be done with it.
#[derive(Debug)]
pub enum Nothing {}

/// A value in parts: one question for each function that is annotated, since each is compiled there.
#[derive(Debug)]
pub enum Parts<Value, Inner, Error> {
    /// It is no `Result`, and has been asked.
    Whole(Outcome),
    /// What is in a `Result`, or in a `Result` in one, as tasks and time limits give.
    Value(Value),
    /// The error of a `Result` in a `Result`.
    Inner(Inner),
    /// The error of a `Result`.
    Error(Error),
}

/// Tells a `Result` from everything else.
pub trait Split {
    /// A reference to the value inside, if it can be there.
    type Value;
    /// A reference to the error of a `Result` inside, if it can be there.
    type Inner;
    /// A reference to the error inside, if it can be there.
    type Error;
    /// The one that is there.
    fn __split(&self) -> Parts<Self::Value, Self::Inner, Self::Error>;
}

impl<'a, T, I, E> Split for &&&Probe<&'a Result<Result<T, I>, E>> {
    type Value = &'a T;
    type Inner = &'a I;
    type Error = &'a E;
    #[inline]
    fn __split(&self) -> Parts<&'a T, &'a I, &'a E> {
        match self.0 {
            Ok(Ok(value)) => Parts::Value(value),
            Ok(Err(error)) => Parts::Inner(error),
            Err(error) => Parts::Error(error),
        }
    }
}

impl<'a, T, E> Split for &&Probe<&'a Result<T, E>> {
    type Value = &'a T;
    type Inner = Nothing;
    type Error = &'a E;
    #[inline]
    fn __split(&self) -> Parts<&'a T, Nothing, &'a E> {
        match self.0 {
            Ok(value) => Parts::Value(value),
            Err(error) => Parts::Error(error),
        }
    }
}

impl<T: ToOutcome + ?Sized> Split for &Probe<&T> {
    type Value = Nothing;
    type Inner = Nothing;
    type Error = Nothing;
    #[inline]
    fn __split(&self) -> Parts<Nothing, Nothing, Nothing> {
        Parts::Whole(self.0.to_outcome())
    }
}

impl<T: ?Sized> Split for Probe<&T> {
    type Value = Nothing;
    type Inner = Nothing;
    type Error = Nothing;
    #[inline]
    fn __split(&self) -> Parts<Nothing, Nothing, Nothing> {
        Parts::Whole(Outcome::Ok)
    }
}

/// How it ended, by a value.
pub trait ValueOutcome {
    /// How it ended.
    fn __value_outcome(&self) -> Outcome;
}

/// Values that say how it ended.
impl<T: ToOutcome + ?Sized> ValueOutcome for &Probe<&T> {
    #[inline]
    fn __value_outcome(&self) -> Outcome {
        self.0.to_outcome()
    }
}

/// Values that say nothing.
impl<T: ?Sized> ValueOutcome for Probe<&T> {
    #[inline]
    fn __value_outcome(&self) -> Outcome {
        Outcome::Ok
    }
}

/// Values that are not there.
impl ValueOutcome for Probe<Nothing> {
    fn __value_outcome(&self) -> Outcome {
        match self.0 {}
    }
}

/// How it ended, by an error.
pub trait ErrorOutcome {
    /// How it ended.
    fn __error_outcome(&self) -> Outcome;
}

/// Errors that are answers: the status code of `Err(StatusCode::UNAUTHORIZED)` decides.
impl<T: ToOutcome + ?Sized> ErrorOutcome for &&&&Probe<&T> {
    fn __error_outcome(&self) -> Outcome {
        said_by::of_type(|| self.0.to_outcome())
    }
}

/// Errors that say what they are.
impl<T: Classify + ?Sized> ErrorOutcome for &&&Probe<&T> {
    fn __error_outcome(&self) -> Outcome {
        Outcome::of_error(said_by::of_type(|| self.0.error_type()))
    }
}

/// `anyhow::Error`, `eyre::Report` and their like, without naming them.
impl<T: AsRef<dyn Error + Send + Sync + 'static> + ?Sized> ErrorOutcome for &&Probe<&T> {
    fn __error_outcome(&self) -> Outcome {
        Outcome::of_error(chain(self.0.as_ref()))
    }
}

/// Errors of the standard trait.
impl<T: Error> ErrorOutcome for &Probe<&T> {
    fn __error_outcome(&self) -> Outcome {
        Outcome::of_error(chain_of_borrowed(self.0))
    }
}

/// Errors of which nothing is known.
impl<T: ?Sized> ErrorOutcome for Probe<&T> {
    fn __error_outcome(&self) -> Outcome {
        Outcome::Error(ErrorType::Internal)
    }
}

/// Errors that are not there.
impl ErrorOutcome for Probe<Nothing> {
    fn __error_outcome(&self) -> Outcome {
        match self.0 {}
    }
}

/// `outcome!(&value)`: how it ended, by the value's type.
#[doc(hidden)]
#[macro_export]
macro_rules! __outcome {
    ($value:expr) => {{
        use $crate::__private::{ErrorOutcome as _, Split as _, ValueOutcome as _};
        match (&&&&$crate::__private::Probe($value)).__split() {
            $crate::__private::Parts::Whole(__outcome) => __outcome,
            $crate::__private::Parts::Value(__value) => {
                (&&$crate::__private::Probe(__value)).__value_outcome()
            }
            $crate::__private::Parts::Inner(__error) => {
                (&&&&&$crate::__private::Probe(__error)).__error_outcome()
            }
            $crate::__private::Parts::Error(__error) => {
                (&&&&&$crate::__private::Probe(__error)).__error_outcome()
            }
        }
    }};
}

/// `outcome_by!(&value, path)`: the same, where `path` says what an error is.
#[doc(hidden)]
#[macro_export]
macro_rules! __outcome_by {
    ($value:expr, $path:expr) => {{
        use $crate::__private::ValueOutcome as _;
        match $crate::__private::fallible($value) {
            $crate::__private::Ok(__value) => {
                (&&$crate::__private::Probe(__value)).__value_outcome()
            }
            $crate::__private::Err(__error) => $crate::__private::Outcome::of_error(
                $crate::__private::error_type_by(__error, $path),
            ),
        }
    }};
}

/// What a function with `error = …` returns. `T` and `E` are no associated types: of those, rustc would complain once
/// more where the one complaint is enough.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `Result`",
    label = "says what an error is, but the function returns none",
    note = "take `error = …` away, or return a `Result`"
)]
pub trait Fallible<T, E> {
    /// By reference.
    ///
    /// # Errors
    /// Its own.
    fn by_reference(&self) -> Result<&T, &E>;
}

impl<T, E> Fallible<T, E> for Result<T, E> {
    fn by_reference(&self) -> Result<&T, &E> {
        self.as_ref()
    }
}

/// A returned value as a `Result`, which it must be.
///
/// # Errors
/// Its own.
pub fn fallible<T, E, R: Fallible<T, E>>(value: &R) -> Result<&T, &E> {
    value.by_reference()
}

/// The answers of a batch, where the type holds one for each member.
pub trait Answers {
    /// What one member gets.
    type Answer;
    /// `None` where there is one answer for all.
    fn __answers(&self) -> Option<&[Self::Answer]>;
}

impl<T, E, F> Answers for &&Probe<&Result<Vec<Result<T, E>>, F>> {
    type Answer = Result<T, E>;
    fn __answers(&self) -> Option<&[Result<T, E>]> {
        self.0.as_deref().ok()
    }
}

impl<T, E> Answers for &Probe<&Vec<Result<T, E>>> {
    type Answer = Result<T, E>;
    fn __answers(&self) -> Option<&[Result<T, E>]> {
        Some(self.0)
    }
}

impl<T: ?Sized> Answers for Probe<&T> {
    type Answer = Nothing;
    fn __answers(&self) -> Option<&[Nothing]> {
        None
    }
}

/// `outcomes!(&value)`: how the members of a batch ended, by the value's type.
#[doc(hidden)]
#[macro_export]
macro_rules! __outcomes {
    ($value:expr) => {{
        use $crate::__private::Answers as _;
        let __value = $value;
        match (&&&$crate::__private::Probe(__value)).__answers() {
            $crate::__private::Some(__each) => $crate::__private::Outcomes::Each(
                __each
                    .iter()
                    .map(|__one| $crate::__outcome!(__one))
                    .collect(),
            ),
            $crate::__private::None => {
                $crate::__private::Outcomes::All($crate::__outcome!(__value))
            }
        }
    }};
}

/// Gives the function of `error = …` the type it must have. A pointer: of a wrong function rustc then shows both types,
/// and does not advise a closure, which an attribute does not take.
pub fn error_type_by<E>(error: &E, by: fn(&E) -> ErrorType) -> ErrorType {
    said_by::of_type(|| by(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::outcome::Rejection;
    use std::io;

    #[derive(Debug)]
    struct Opaque;
    #[derive(Debug)]
    struct Typed;
    impl Classify for Typed {
        fn error_type(&self) -> ErrorType {
            ErrorType::CudaOom
        }
    }
    #[derive(Debug)]
    struct Chained(io::Error);
    impl std::fmt::Display for Chained {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("chained")
        }
    }
    impl Error for Chained {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }
    struct Anyhow(Box<dyn Error + Send + Sync>);
    impl AsRef<dyn Error + Send + Sync + 'static> for Anyhow {
        fn as_ref(&self) -> &(dyn Error + Send + Sync + 'static) {
            &*self.0
        }
    }
    type Hidden = Result<u8, Typed>;

    fn slow() -> io::Error {
        io::ErrorKind::TimedOut.into()
    }

    fn generic<T>(value: &T) -> Outcome {
        crate::__outcome!(value)
    }

    fn generic_error<T, E>(value: &Result<T, E>) -> Outcome {
        crate::__outcome!(value)
    }

    #[test]
    fn the_type_decides_not_the_name() {
        let error = Outcome::Error;
        assert_eq!(crate::__outcome!(&5), Outcome::Ok);
        assert_eq!(crate::__outcome!("x"), Outcome::Ok);
        assert_eq!(crate::__outcome!(&None::<u8>), Outcome::Ok);
        assert_eq!(crate::__outcome!(&Ok::<u8, Opaque>(1)), Outcome::Ok);
        assert_eq!(
            crate::__outcome!(&(Err(Typed) as Hidden)),
            error(ErrorType::CudaOom)
        );
        assert_eq!(
            crate::__outcome!(&Err::<u8, _>(Opaque)),
            error(ErrorType::Internal)
        );
        assert_eq!(
            crate::__outcome!(&Err::<u8, _>(slow())),
            error(ErrorType::DependencyTimeout)
        );
        assert_eq!(
            crate::__outcome!(&Err::<u8, _>(Chained(slow()))),
            error(ErrorType::DependencyTimeout)
        );
        assert_eq!(
            crate::__outcome!(&Err::<u8, _>(Anyhow(slow().into()))),
            error(ErrorType::DependencyTimeout)
        );
        let boxed: Box<dyn Error> = slow().into();
        assert_eq!(
            crate::__outcome!(&Err::<u8, _>(boxed)),
            error(ErrorType::DependencyTimeout)
        );
        let refused = Outcome::Rejected(Rejection::InvalidInput);
        assert_eq!(
            crate::__outcome!(&Err::<u8, _>(ErrorType::InvalidInput)),
            refused
        );
        assert_eq!(crate::__outcome!(&Ok::<_, Opaque>(refused)), refused);
    }

    #[test]
    fn what_is_generic_says_nothing() {
        assert_eq!(generic(&Err::<u8, _>(Typed)), Outcome::Ok);
        assert_eq!(
            generic_error(&Err::<u8, _>(Typed)),
            Outcome::Error(ErrorType::Internal)
        );
    }

    #[test]
    fn a_path_says_what_an_error_is() {
        let value: Result<u8, Opaque> = Err(Opaque);
        let outcome = crate::__outcome_by!(&value, |_| ErrorType::DeviceFault);
        assert_eq!(outcome, Outcome::Error(ErrorType::DeviceFault));
    }
}
