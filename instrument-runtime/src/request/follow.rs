//! Where a function's result holds a stream: found by type, whatever alias or associated type names it.

use crate::request::streamed::{Begins, Kept, streamed};
use crate::vocab::outcome::Outcome;
use futures_core::Stream;
use std::pin::Pin;

/// A result with a boxed stream in it, which can be wrapped without changing its type.
#[diagnostic::on_unimplemented(
    message = "`stream` finds no stream in `{Self}`",
    label = "no stream that can be wrapped",
    note = "it follows an `impl Stream`, a `BoxStream` or a `Pin<Box<dyn Stream>>`, also within a `Result`, an `Option` or a `Response`",
    note = "for any other type, put `stream` on the function that makes the stream inside, or call `measure_tokens` on it"
)]
pub trait Follow: Sized {
    /// What the stream hands out.
    type Item;

    /// The same with its stream wrapped, which takes along what was begun; where there is none, it stays.
    #[must_use]
    fn follow<B, O>(self, begun: &mut Option<B>, outcome: O) -> Self
    where
        B: Begins,
        B::Kept: Send + Sync + 'static,
        O: FnMut(&Self::Item) -> Outcome + Send + Sync + 'static;
}

/// [`Follow::follow`], for a clearer error where a type does not have it.
pub fn follow<R, B, O>(result: R, begun: &mut Option<B>, outcome: O) -> R
where
    R: Follow,
    B: Begins,
    B::Kept: Send + Sync + 'static,
    O: FnMut(&R::Item) -> Outcome + Send + Sync + 'static,
{
    result.follow(begun, outcome)
}

macro_rules! boxed {
    ($($pointer:ident of ($($bound:tt)*);)*) => {$(
        impl<'a, T: 'a> Follow for boxed!(@type $pointer $($bound)*) {
            type Item = T;

            fn follow<B, O>(self, begun: &mut Option<B>, outcome: O) -> Self
            where
                B: Begins,
                B::Kept: Kept + Send + Sync + 'static,
                O: FnMut(&T) -> Outcome + Send + Sync + 'static,
            {
                boxed!(@new $pointer streamed(begun.take(), self, outcome))
            }
        }
    )*};
    (@type Pinned $($bound:tt)*) => { Pin<Box<dyn Stream<Item = T> + $($bound)* 'a>> };
    (@type Boxed $($bound:tt)*) => { Box<dyn Stream<Item = T> + $($bound)* Unpin + 'a> };
    (@new Pinned $stream:expr) => { Box::pin($stream) };
    (@new Boxed $stream:expr) => { Box::new($stream) };
}

boxed! {
    Pinned of ();
    Pinned of (Send +);
    Pinned of (Send + Sync +);
    Boxed of ();
    Boxed of (Send +);
    Boxed of (Send + Sync +);
}

impl<R: Follow, E> Follow for Result<R, E> {
    type Item = R::Item;

    fn follow<B, O>(self, begun: &mut Option<B>, outcome: O) -> Self
    where
        B: Begins,
        B::Kept: Send + Sync + 'static,
        O: FnMut(&R::Item) -> Outcome + Send + Sync + 'static,
    {
        self.map(|result| result.follow(begun, outcome))
    }
}

impl<R: Follow> Follow for Option<R> {
    type Item = R::Item;

    fn follow<B, O>(self, begun: &mut Option<B>, outcome: O) -> Self
    where
        B: Begins,
        B::Kept: Send + Sync + 'static,
        O: FnMut(&R::Item) -> Outcome + Send + Sync + 'static,
    {
        self.map(|result| result.follow(begun, outcome))
    }
}
