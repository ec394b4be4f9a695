//! A stream in the answer of a handler of `tonic`.

use crate::request::follow::Follow;
use crate::request::streamed::Begins;
use crate::vocab::outcome::Outcome;

impl<R: Follow> Follow for tonic::Response<R> {
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
