//! The requests that one execution serves.

use crate::record::tally::Tally;
use crate::request::context::RequestContext;
use crate::request::queue::Queued;
use std::sync::Arc;

/// What `batch = …` takes: it says which requests a stage serves. Ready for batches of a
/// [`batcher`](crate::queue::batcher), slices and vectors of [`Queued`] or [`RequestContext`], and a plain number of
/// requests of which nothing else is known.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which requests it serves",
    label = "expected a batch",
    note = "`batch = …` takes a `Batch`, a slice or a vector of `Queued` or of `RequestContext`, or a number of requests as a `usize`",
    note = "what holds its requests in another way collects them: of a `Sequence`, `sequence.context().cloned()`"
)]
pub trait Members {
    /// Hands out the request of each member; `None` where it is not known.
    fn each_member(&self, see: &mut dyn FnMut(Option<&RequestContext>));
}

impl<T> Members for [Queued<T>] {
    fn each_member(&self, see: &mut dyn FnMut(Option<&RequestContext>)) {
        for queued in self {
            // what is executed waits no more
            queued.dequeued();
            see(queued.context());
        }
    }
}

impl Members for [RequestContext] {
    fn each_member(&self, see: &mut dyn FnMut(Option<&RequestContext>)) {
        for context in self {
            see(Some(context));
        }
    }
}

impl<T> Members for Vec<T>
where
    [T]: Members,
{
    fn each_member(&self, see: &mut dyn FnMut(Option<&RequestContext>)) {
        self.as_slice().each_member(see);
    }
}

impl Members for usize {
    fn each_member(&self, see: &mut dyn FnMut(Option<&RequestContext>)) {
        for _ in 0..*self {
            see(None);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<M: Members + ?Sized> Members for &M {
    fn each_member(&self, see: &mut dyn FnMut(Option<&RequestContext>)) {
        (**self).each_member(see);
    }
}

#[diagnostic::do_not_recommend]
impl<M: Members + ?Sized> Members for &mut M {
    fn each_member(&self, see: &mut dyn FnMut(Option<&RequestContext>)) {
        (**self).each_member(see);
    }
}

/// The requests of a batch, without the type of the batch.
#[derive(Debug)]
pub struct MemberList(pub(crate) Vec<Option<Arc<Tally>>>);

/// Asks a batch which requests it serves.
pub fn members<M: Members + ?Sized>(batch: &M) -> MemberList {
    let mut all = Vec::new();
    batch.each_member(&mut |context| all.push(context.map(RequestContext::tally)));
    MemberList(all)
}
