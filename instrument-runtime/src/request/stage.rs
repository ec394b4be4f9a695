//! What a stage's expansion calls: one function or type for each shape of function.

use crate::record::guard::StageArgs;
use crate::record::local;
use crate::record::open::Open;
use crate::record::span::{Inside, Traced};
use crate::record::tally::Tally;
use crate::request::spans;
use crate::site::site::Site;
use crate::vocab::outcome::Outcome;
use futures_core::FusedFuture;
use pin_project_lite::pin_project;
use std::fmt;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::task::{Context, Poll};

/// Calls the body. The `FnOnce` bound is the point: it lets the body hand out what it captured by reference.
#[inline]
pub fn call<R>(body: impl FnOnce() -> R) -> R {
    body()
}

/// Never called. Gives `return` and the tail of an async block the type they are expected to have.
#[must_use]
pub fn never_called<T>() -> T {
    unreachable!("only its type is of use")
}

/// Anything with a return type.
pub trait Returns {
    /// That type.
    type Type;
}

impl<R> Returns for fn() -> R {
    type Type = R;
}

/// `!`, spelled so that stable Rust takes it as a type argument.
pub type Never = <fn() -> ! as Returns>::Type;

/// `&T`, spelled so that clippy asks nothing about it when `T` is the user's.
pub type Ref<'a, T> = &'a T;

/// A stage that has begun. Dropped without [`exit`](EnteredStage::exit) it was unwound.
#[derive(Debug)]
pub struct EnteredStage {
    pub(crate) open: Open,
    /// Where the stage began, if not simply in what runs on this thread. Its span is parked.
    pub(crate) tally: Option<Arc<Tally>>,
}

/// Begins a stage.
#[inline]
pub fn enter(site: &'static Site, args: StageArgs) -> EnteredStage {
    let open = if !local::enabled() {
        Open::NONE
    } else if spans::stages_may_be_seen() {
        enter_seen(site, args)
    } else {
        Open::enter(site, args)
    };
    EnteredStage { open, tally: None }
}

#[cold]
#[inline(never)]
fn enter_seen(site: &'static Site, args: StageArgs) -> Open {
    // the span first: what subscribers do is not the stage's time, and a panic of theirs leaves nothing begun
    let inside = spans::stage(site, args).into_entered();
    let mut open = Open::enter(site, args);
    if open.is_some() && inside.is_some() {
        open.id = open.id.seen();
        inside.park();
    }
    open
}

/// Leaves the span of a stage that has ended.
#[cold]
#[inline(never)]
fn leave(outcome: Outcome) {
    Inside::unpark().ended(outcome);
}

impl EnteredStage {
    /// Ends the stage.
    #[inline]
    pub fn exit(self, outcome: Outcome) {
        // its destructor is for those that never come here
        let mut this = ManuallyDrop::new(self);
        this.end(outcome);
    }

    /// Leaves the span without ending it; the guard has none any more.
    pub(crate) fn take_span(&mut self) -> Traced {
        if !self.open.id.is_seen() {
            return Traced::NONE;
        }
        self.open.id = self.open.id.unseen();
        Inside::unpark().leave()
    }

    #[inline]
    fn end(&mut self, outcome: Outcome) {
        if !self.open.is_some() {
            return;
        }
        match self.tally.take() {
            Some(tally) => self.open.exit(Some(&tally), outcome),
            None => self.open.exit_here(outcome),
        }
        if self.open.id.is_seen() {
            leave(outcome);
        }
    }
}

impl Drop for EnteredStage {
    #[cold]
    #[inline(never)]
    fn drop(&mut self) {
        self.end(Outcome::Panicked);
    }
}

/// A synchronous stage whose return type can be named by nobody but the compiler.
#[inline]
pub fn run_sync<R>(
    site: &'static Site,
    args: StageArgs,
    body: impl FnOnce() -> R,
    outcome: impl FnOnce(&R) -> Outcome,
) -> R {
    let stage = enter(site, args);
    let value = body();
    stage.exit(outcome(&value));
    value
}

/// Where a stage stands that is a future. Declared after the future, so that it is dropped after it. It travels in every
/// future, so nothing is kept that is not needed any more.
#[derive(Debug)]
enum Progress {
    /// Not polled yet: nothing has begun.
    Fresh {
        site: &'static Site,
        args: StageArgs,
    },
    /// Nobody recorded when it was first polled.
    Off,
    Begun {
        open: Open,
        tally: Option<Arc<Tally>>,
        /// Inside the user's poll: dropped here means unwound.
        polling: bool,
    },
    Done,
}

/// The span of a future, in front of it: its destructors work inside, until whoever is declared after it unparks the
/// span and ends.
#[derive(Debug)]
pub(crate) struct Around(pub(crate) Traced);

impl Drop for Around {
    #[inline]
    fn drop(&mut self) {
        if self.0.is_some() {
            std::mem::take(&mut self.0).park_entered();
        }
    }
}

// What a poll does is here, and not in `Staged`: that is compiled once for each future.
impl Progress {
    /// The future is about to be polled.
    #[inline]
    fn begin_poll(&mut self, around: &mut Around) -> Inside {
        if let Progress::Fresh { site, args } = *self {
            *self = Progress::begin(site, args, around);
        }
        match self {
            Progress::Begun { polling, .. } => *polling = true,
            Progress::Fresh { .. } | Progress::Off => {}
            Progress::Done => panic!("a future was polled after it had finished"),
        }
        around.0.enter()
    }

    fn begin(site: &'static Site, args: StageArgs, around: &mut Around) -> Progress {
        if !local::enabled() {
            return Progress::Off;
        }
        let open = if spans::stages_may_be_seen() {
            begin_seen(site, args, around)
        } else {
            Open::enter(site, args)
        };
        if !open.is_some() {
            return Progress::Off;
        }
        Progress::Begun {
            open,
            // it may be dropped far from where it began
            tally: local::current(),
            polling: false,
        }
    }

    /// It has not finished.
    #[inline]
    fn end_poll(&mut self, inside: Inside) {
        drop(inside);
        if let Progress::Begun { polling, .. } = self {
            *polling = false;
        }
    }

    /// It has finished.
    #[inline]
    fn finish(&mut self, around: &mut Around, inside: Inside) -> EnteredStage {
        if inside.is_some() {
            around.0 = Traced::NONE;
            inside.park();
        }
        let (open, tally) = match self {
            Progress::Begun { open, tally, .. } => {
                (std::mem::replace(open, Open::NONE), tally.take())
            }
            _ => (Open::NONE, None),
        };
        *self = Progress::Done;
        EnteredStage { open, tally }
    }
}

#[cold]
fn begin_seen(site: &'static Site, args: StageArgs, around: &mut Around) -> Open {
    let span = spans::stage(site, args);
    let mut open = Open::enter(site, args);
    if open.is_some() && span.is_some() {
        open.id = open.id.seen();
        around.0 = span;
    }
    open
}

impl Drop for Progress {
    #[inline]
    fn drop(&mut self) {
        if let Progress::Begun {
            open,
            tally,
            polling,
        } = self
            && open.is_some()
        {
            let outcome = if *polling {
                Outcome::Panicked
            } else {
                Outcome::Cancelled
            };
            open.exit(tally.as_ref(), outcome);
            if open.id.is_seen() {
                leave(outcome);
            }
        }
    }
}

pin_project! {
    /// A stage that is a future. Gives the value together with the stage, still open, so that the expansion can
    /// look at the value where its type is known.
    #[must_use = "futures do nothing unless polled"]
    pub struct Staged<F> {
        // not `Freeze`: keeps rustc from walking into stages within stages, 24 of which would be too many
        shallow: [AtomicU8; 0],
        around: Around,
        #[pin]
        future: F,
        progress: Progress,
    }
}

impl<F> Staged<F> {
    /// The stage begins with the first poll.
    #[inline]
    pub const fn new(site: &'static Site, args: StageArgs, future: F) -> Staged<F> {
        Staged {
            shallow: [],
            around: Around(Traced::NONE),
            future,
            progress: Progress::Fresh { site, args },
        }
    }
}

impl<F: Future> Future for Staged<F> {
    type Output = (F::Output, EnteredStage);

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        // unwinding out of here leaves it polling
        let inside = this.progress.begin_poll(this.around);
        match this.future.poll(cx) {
            Poll::Ready(value) => Poll::Ready((value, this.progress.finish(this.around, inside))),
            Poll::Pending => {
                this.progress.end_poll(inside);
                Poll::Pending
            }
        }
    }
}

impl<F> fmt::Debug for Staged<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staged")
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}

pin_project! {
    /// A stage that is a future, for functions that return one: looks at the value itself.
    #[must_use = "futures do nothing unless polled"]
    pub struct Deferred<F, O> {
        #[pin]
        staged: Staged<F>,
        outcome: O,
    }
}

impl<F: Future, O: FnMut(&F::Output) -> Outcome> Future for Deferred<F, O> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        match this.staged.poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready((value, stage)) => {
                stage.exit((this.outcome)(&value));
                Poll::Ready(value)
            }
        }
    }
}

impl<F: FusedFuture, O: FnMut(&F::Output) -> Outcome> FusedFuture for Deferred<F, O> {
    fn is_terminated(&self) -> bool {
        let Staged {
            future, progress, ..
        } = &self.staged;
        matches!(progress, Progress::Done) || future.is_terminated()
    }
}

impl<F, O> fmt::Debug for Deferred<F, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.staged.fmt(f)
    }
}

/// A function that returns a future: the stage is the future, not the making of it.
#[inline]
pub const fn run_deferred<F: Future, O: FnMut(&F::Output) -> Outcome>(
    site: &'static Site,
    args: StageArgs,
    future: F,
    outcome: O,
) -> Deferred<F, O> {
    Deferred {
        staged: Staged::new(site, args, future),
        outcome,
    }
}

/// An asynchronous function that never returns.
#[inline]
pub fn run_never<F: Future<Output = Never>>(
    site: &'static Site,
    args: StageArgs,
    future: F,
) -> Deferred<F, impl FnMut(&Never) -> Outcome> {
    run_deferred(site, args, future, |_| Outcome::Ok)
}

/// A stage beside a body that stays where it is, for `#[track_caller]`. Dropped without
/// [`exit`](InPlace::exit) it was unwound: such a body leaves in no other way.
#[derive(Debug)]
pub struct InPlace(EnteredStage);

impl InPlace {
    /// Begins the stage.
    #[inline]
    #[must_use]
    pub fn enter(site: &'static Site, args: StageArgs) -> InPlace {
        InPlace(enter(site, args))
    }

    /// Ends the stage.
    #[inline]
    pub fn exit(self, outcome: Outcome) {
        self.0.exit(outcome);
    }
}
