//! What `batch = …` takes where nothing is measured. The types that know their requests are not there, so it is a number.

/// As its namesake in builds that measure, down to the words.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which requests it serves",
    label = "expected a batch",
    note = "`batch = …` takes a `Batch`, a slice or a vector of `Queued` or of `RequestContext`, or a number of requests as a `usize`",
    note = "what holds its requests in another way collects them: of a `Sequence`, `sequence.context().cloned()`"
)]
pub trait Members {}

impl Members for usize {}

#[diagnostic::do_not_recommend]
impl<M: Members + ?Sized> Members for &M {}

#[diagnostic::do_not_recommend]
impl<M: Members + ?Sized> Members for &mut M {}

/// Asks for the type and nothing else.
pub fn members<M: Members + ?Sized>(_batch: &M) {}
