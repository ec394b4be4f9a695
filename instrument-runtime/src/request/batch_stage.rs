//! What the expansion of a stage with `batch = …` calls. One execution, and a stage for each of its members.

use crate::record::combo;
use crate::record::guard::{StageArgs, tell_health};
use crate::record::local;
use crate::record::open::Open;
use crate::record::recorder::Recorder;
use crate::record::series::{Kind, SeriesId};
use crate::record::span::{Inside, Traced};
use crate::record::tally::Tally;
use crate::request::context::Scope;
use crate::request::members::MemberList;
use crate::request::spans;
use crate::request::stage::Around;
use crate::site::site::Site;
use crate::slot::devices;
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::Outcome;
use futures_core::FusedFuture;
use pin_project_lite::pin_project;
use std::fmt;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::task::{Context, Poll};

/// How the members of a batch ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcomes {
    /// All alike: the execution as a whole says it.
    All(Outcome),
    /// Each for itself, in the order of the members.
    Each(Vec<Outcome>),
}

impl Outcomes {
    fn of(&self, member: usize) -> Outcome {
        match self {
            Outcomes::All(outcome) => *outcome,
            // an execution that answers fewer than it was asked has failed the others
            Outcomes::Each(each) => each
                .get(member)
                .copied()
                .unwrap_or(Outcome::Error(ErrorType::Internal)),
        }
    }

    /// Of the execution: the worst that no member escaped.
    fn of_all(&self, members: usize) -> Outcome {
        if (0..members).any(|member| self.of(member) == Outcome::Ok) {
            Outcome::Ok
        } else {
            self.of(0)
        }
    }
}

/// A batch that is executed. Dropped without [`exit`](EnteredBatch::exit) it was unwound.
#[derive(Debug)]
pub struct EnteredBatch {
    stage: &'static str,
    members: Vec<(Open, Option<Arc<Tally>>)>,
    execution: Option<Running>,
    inside: Inside,
}

impl EnteredBatch {
    const fn empty(stage: &'static str) -> EnteredBatch {
        EnteredBatch {
            stage,
            members: Vec::new(),
            execution: None,
            inside: Inside::NOWHERE,
        }
    }
}

/// The execution itself, whatever its size.
#[derive(Debug)]
struct Running {
    recorder: Arc<Recorder>,
    series: SeriesId,
    start: u64,
    model: usize,
}

/// Begins the stage for each member.
pub fn enter_batch(site: &'static Site, args: BatchArgs) -> EnteredBatch {
    let inside = args.span(site).into_entered();
    let mut entered = begin_batch(site, args);
    entered.inside = inside;
    entered
}

/// The same outside of its span.
fn begin_batch(site: &'static Site, args: BatchArgs) -> EnteredBatch {
    let BatchArgs {
        stage: args,
        members,
    } = args;
    let mut entered = EnteredBatch::empty(site.name);
    if !local::enabled() {
        return entered;
    }
    entered.members = members
        .0
        .into_iter()
        .map(|tally| (enter_for(tally.as_ref(), site, args), tally))
        .collect();
    if site.execution && !entered.members.is_empty() {
        entered.execution = entered.begin_execution(site, args);
    }
    entered
}

/// Begins the stage in the request of a member, whatever runs on this thread.
fn enter_for(tally: Option<&Arc<Tally>>, site: &'static Site, args: StageArgs) -> Open {
    let Some(tally) = tally else {
        return Open::enter(site, args);
    };
    let _scope = Scope::unseen(tally);
    let open = Open::enter(site, args);
    if let Some(tally) = open.within(Some(tally)) {
        tally.troubles().goes_away(site.name, open.start);
    }
    open
}

impl EnteredBatch {
    fn begin_execution(&self, site: &'static Site, args: StageArgs) -> Option<Running> {
        let of_member = self
            .members
            .iter()
            .find_map(|(_, tally)| tally.as_ref().map(|tally| tally.combo()));
        let here = || local::with(local::Local::combo);
        let number = if args.combo == 0 {
            of_member.unwrap_or_else(here)
        } else {
            args.combo
        };
        let combo = combo::get(number)?;
        let recorder = combo.recorder()?;
        let model = combo.labels.model;
        let (series, start) = (
            recorder.batch(site, model, args.own),
            recorder.clock.ticks(),
        );
        Some(Running {
            recorder,
            series,
            start,
            model,
        })
    }

    /// Ends the stage of each member, and the execution.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "generated code ends every kind of stage in the same way"
    )]
    pub fn exit(self, outcomes: Outcomes) {
        // its destructor is for those that never come here
        let mut this = ManuallyDrop::new(self);
        this.end(&outcomes);
    }

    fn end(&mut self, outcomes: &Outcomes) {
        let members = std::mem::take(&mut self.members);
        let of_all = outcomes.of_all(members.len());
        let (share, rest) = match self.execution.take() {
            Some(running) => running.end(outcomes, &members),
            None => (0, 0),
        };
        for (at, (open, tally)) in members.into_iter().enumerate() {
            let share = share + u64::from((at as u64) < rest);
            if let Some(tally) = &tally {
                tally.troubles().comes_back(self.stage, open.start);
            }
            open.exit_in_batch(tally.as_ref(), outcomes.of(at), share);
        }
        std::mem::take(&mut self.inside).ended(of_all);
    }
}

impl Running {
    /// Ends the execution. The share of each member, and how many take one tick more, so that shares add up.
    fn end(self, outcomes: &Outcomes, members: &[(Open, Option<Arc<Tally>>)]) -> (u64, u64) {
        let took = self.recorder.clock.ticks().saturating_sub(self.start);
        let size = members.len() as u64;
        let outcome = outcomes.of_all(members.len());
        local::with(|local| {
            local.push(self.series.event(Kind::COUNT, size));
            local.push(self.series.event(Kind::ended(outcome), took));
        });
        if devices::may_matter(outcome) {
            tell_health(self.series, outcome);
        }
        let (share, rest) = (took / size, took % size);
        let mut nobodys = 0;
        for (at, (open, tally)) in members.iter().enumerate() {
            let share = share + u64::from((at as u64) < rest);
            let own = open.within(tally.as_ref());
            if !own.is_some_and(|tally| tally.bill(share)) {
                nobodys += share;
            }
        }
        if nobodys > 0 {
            let compute = self.recorder.compute(self.model, None);
            local::with(|local| local.push(compute.event(Kind::COUNT, nobodys)));
        }
        (share, rest)
    }
}

impl Drop for EnteredBatch {
    #[cold]
    fn drop(&mut self) {
        self.end(&Outcomes::All(Outcome::Panicked));
    }
}

/// What the attribute of a stage with `batch = …` says at run time.
#[derive(Debug)]
pub struct BatchArgs {
    stage: StageArgs,
    members: MemberList,
}

impl BatchArgs {
    /// Where nobody records.
    pub const NONE: BatchArgs = BatchArgs {
        stage: StageArgs::NONE,
        members: MemberList(Vec::new()),
    };

    /// The stage for these members.
    #[must_use]
    pub const fn new(stage: StageArgs, members: MemberList) -> BatchArgs {
        BatchArgs { stage, members }
    }

    /// The one span of its execution.
    fn span(&self, site: &'static Site) -> Traced {
        if local::enabled() && !self.members.0.is_empty() {
            spans::batch(site, self.stage, &self.members.0)
        } else {
            Traced::NONE
        }
    }
}

/// A synchronous batch whose return type can be named by nobody but the compiler.
#[inline]
pub fn run_batch<R>(
    site: &'static Site,
    args: BatchArgs,
    body: impl FnOnce() -> R,
    outcomes: impl FnOnce(&R) -> Outcomes,
) -> R {
    let batch = enter_batch(site, args);
    let value = body();
    batch.exit(outcomes(&value));
    value
}

/// Where a batch stands that is a future.
#[derive(Debug)]
enum Phase {
    /// Not polled yet: nothing has begun.
    Fresh(BatchArgs),
    Running(EnteredBatch),
    Done,
}

/// Where it stands, and its span. Declared after the future, so that it is dropped after it.
#[derive(Debug)]
struct Progress {
    phase: Phase,
    /// Its span is parked while it is dropped.
    is_seen: bool,
    /// Inside the user's poll: dropped here means unwound.
    polling: bool,
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Phase::Running(batch) = &mut self.phase {
            let mut batch = std::mem::replace(batch, EnteredBatch::empty(batch.stage));
            if self.is_seen {
                batch.inside = Inside::unpark();
            }
            let outcome = if self.polling {
                Outcome::Panicked
            } else {
                Outcome::Cancelled
            };
            batch.exit(Outcomes::All(outcome));
        }
    }
}

pin_project! {
    /// A stage with `batch = …` that is a future. Gives the value together with the batch, still open.
    #[must_use = "futures do nothing unless polled"]
    pub struct StagedBatch<F> {
        // as in `Staged`
        shallow: [AtomicU8; 0],
        around: Around,
        #[pin]
        future: F,
        site: &'static Site,
        progress: Progress,
    }
}

impl<F> StagedBatch<F> {
    /// The stage begins with the first poll.
    #[inline]
    pub const fn new(site: &'static Site, args: BatchArgs, future: F) -> StagedBatch<F> {
        StagedBatch {
            shallow: [],
            around: Around(Traced::NONE),
            future,
            site,
            progress: Progress {
                phase: Phase::Fresh(args),
                is_seen: false,
                polling: false,
            },
        }
    }
}

impl<F: Future> Future for StagedBatch<F> {
    type Output = (F::Output, EnteredBatch);

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let progress = this.progress;
        progress.phase = match std::mem::replace(&mut progress.phase, Phase::Done) {
            Phase::Fresh(args) => {
                let span = args.span(this.site);
                progress.is_seen = span.is_some();
                this.around.0 = span;
                Phase::Running(begin_batch(this.site, args))
            }
            running => running,
        };
        progress.polling = true;
        // unwinding out of here leaves the flag set
        let inside = this.around.0.enter();
        match this.future.poll(cx) {
            Poll::Pending => {
                drop(inside);
                progress.polling = false;
                Poll::Pending
            }
            Poll::Ready(value) => match std::mem::replace(&mut progress.phase, Phase::Done) {
                Phase::Running(mut batch) => {
                    batch.inside = inside;
                    this.around.0 = Traced::NONE;
                    Poll::Ready((value, batch))
                }
                Phase::Fresh(_) | Phase::Done => {
                    panic!("a future was polled after it had finished")
                }
            },
        }
    }
}

impl<F> fmt::Debug for StagedBatch<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StagedBatch")
            .field("phase", &self.progress.phase)
            .finish_non_exhaustive()
    }
}

pin_project! {
    /// A stage with `batch = …` that is a future, for functions that return one.
    #[must_use = "futures do nothing unless polled"]
    pub struct DeferredBatch<F, O> {
        #[pin]
        staged: StagedBatch<F>,
        outcomes: O,
    }
}

impl<F: Future, O: FnMut(&F::Output) -> Outcomes> Future for DeferredBatch<F, O> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        match this.staged.poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready((value, batch)) => {
                batch.exit((this.outcomes)(&value));
                Poll::Ready(value)
            }
        }
    }
}

impl<F: FusedFuture, O: FnMut(&F::Output) -> Outcomes> FusedFuture for DeferredBatch<F, O> {
    fn is_terminated(&self) -> bool {
        let StagedBatch {
            future, progress, ..
        } = &self.staged;
        matches!(progress.phase, Phase::Done) || future.is_terminated()
    }
}

impl<F, O> fmt::Debug for DeferredBatch<F, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.staged.fmt(f)
    }
}

/// A function that returns a future: the stage is the future, not the making of it.
pub const fn run_batch_deferred<F: Future, O: FnMut(&F::Output) -> Outcomes>(
    site: &'static Site,
    args: BatchArgs,
    future: F,
    outcomes: O,
) -> DeferredBatch<F, O> {
    DeferredBatch {
        staged: StagedBatch::new(site, args, future),
        outcomes,
    }
}
