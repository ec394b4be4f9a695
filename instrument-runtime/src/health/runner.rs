//! Runs checks: sync ones on threads of their own, async ones on a runtime; both inside a fence.
//!
//! Not on `spawn_blocking`: a runtime that is dropped waits for what was started there, and a check may never return.

use crate::health::clock::HealthClock;
use crate::health::job::Job;
use crate::health::spec::{CheckFuture, Provided};
use crate::health::verdict::Report;
use crate::vocab::foreign::{Panicked, contained};
use std::cell::RefCell;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

/// Which run of which check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunId {
    pub(crate) check: usize,
    pub(crate) generation: u64,
}

/// What a run tells the scheduler.
#[derive(Debug)]
pub(crate) enum Told {
    /// It is running.
    Begun(Duration),
    /// It has returned, or has panicked.
    Ended(Result<Report, Panicked>, Duration),
    /// It will not return any more: it was dropped.
    Gone,
}

/// A run that was started.
pub(crate) trait Run: Send {
    /// Nobody waits for it any more.
    fn cancel(&self);

    /// Somebody else's thread is inside of it, and only it can give it back.
    fn is_inside(&self) -> bool;

    /// It depends on how busy the application's runtime is.
    fn is_on_runtime(&self) -> bool;
}

/// Starts runs.
pub(crate) trait Runner: Send {
    /// Starts one; `None` where the system has no thread left for it.
    fn start(&mut self, id: RunId, job: &Job) -> Option<Box<dyn Run>>;
}

/// The real one.
pub(crate) struct Threads<M> {
    clock: HealthClock,
    runtime: Option<Handle>,
    tell: Sender<M>,
    wrap: fn(RunId, Told) -> M,
}

impl<M: Send + 'static> Threads<M> {
    pub(crate) fn new(
        clock: HealthClock,
        runtime: Option<Handle>,
        tell: Sender<M>,
        wrap: fn(RunId, Told) -> M,
    ) -> Threads<M> {
        Threads {
            clock,
            runtime,
            tell,
            wrap,
        }
    }
}

impl<M: Send + 'static> Runner for Threads<M> {
    fn start(&mut self, id: RunId, job: &Job) -> Option<Box<dyn Run>> {
        let (tell, wrap) = (self.tell.clone(), self.wrap);
        let teller = Teller {
            clock: self.clock.clone(),
            // when nobody listens any more, nobody wants to know
            tell: Box::new(move |told| drop(tell.send(wrap(id, told)))),
        };
        match job.clone() {
            Job::Sync(check) => on_a_thread(teller, check),
            Job::SyncWith(check, state) => on_a_thread(teller, move || check(&*state)),
            Job::Async(check) => Some(on_a_runtime(
                self.runtime.as_ref()?,
                teller,
                Box::new(check),
            )),
            Job::AsyncWith(check, state) => Some(on_a_runtime(
                self.runtime.as_ref()?,
                teller,
                Box::new(move || check(state)),
            )),
        }
    }
}

/// Drops what belongs to the service on a thread of its own: that may block, and may panic.
pub(crate) fn drop_elsewhere(states: Vec<Provided>) {
    if states.is_empty() {
        return;
    }
    let all = move || {
        for state in states {
            let _ = contained(|| drop(state));
        }
    };
    let thread = std::thread::Builder::new().name("instrument-check".to_owned());
    let _ = thread.spawn(all);
}

struct Teller {
    clock: HealthClock,
    tell: Box<dyn Fn(Told) + Send>,
}

impl Teller {
    fn begun(&self) {
        (self.tell)(Told::Begun(self.clock.now()));
    }

    fn ended(&self, result: Result<Report, Panicked>) {
        (self.tell)(Told::Ended(result, self.clock.now()));
    }
}

thread_local! {
    /// Whether the check on this thread has missed its timeout.
    static OVERDUE: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Whether the sync check that runs on this thread has missed its timeout: nobody waits for what it finds any more, and
/// it may as well return. `false` outside of checks.
pub fn check_is_overdue() -> bool {
    OVERDUE.with_borrow(|flag| {
        flag.as_ref()
            .is_some_and(|flag| flag.load(Ordering::Acquire))
    })
}

struct OnThread(Arc<AtomicBool>);

impl Run for OnThread {
    fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_inside(&self) -> bool {
        true
    }

    fn is_on_runtime(&self) -> bool {
        false
    }
}

fn on_a_thread(
    teller: Teller,
    check: impl FnOnce() -> Report + Send + 'static,
) -> Option<Box<dyn Run>> {
    let overdue = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&overdue);
    let body = move || {
        OVERDUE.set(Some(flag));
        teller.begun();
        // the text of an error is made in here as well
        teller.ended(contained(check));
    };
    let thread = std::thread::Builder::new().name("instrument-check".to_owned());
    thread.spawn(body).ok()?;
    Some(Box::new(OnThread(overdue)))
}

struct OnRuntime {
    inside: Arc<AtomicBool>,
    task: AbortHandle,
}

impl Run for OnRuntime {
    fn cancel(&self) {
        self.task.abort();
    }

    fn is_inside(&self) -> bool {
        self.inside.load(Ordering::Acquire)
    }

    fn is_on_runtime(&self) -> bool {
        true
    }
}

fn on_a_runtime(
    runtime: &Handle,
    teller: Teller,
    make: Box<dyn FnOnce() -> CheckFuture + Send>,
) -> Box<dyn Run> {
    let inside = Arc::new(AtomicBool::new(false));
    let task = runtime.spawn(Fenced {
        teller,
        inside: Arc::clone(&inside),
        make: Some(make),
        future: None,
        ended: false,
    });
    Box::new(OnRuntime {
        inside,
        task: task.abort_handle(),
    })
}

/// An async check: a panic in it, while it is made, polled or dropped, stays in here.
struct Fenced {
    teller: Teller,
    /// Somebody is inside of a poll.
    inside: Arc<AtomicBool>,
    make: Option<Box<dyn FnOnce() -> CheckFuture + Send>>,
    future: Option<CheckFuture>,
    ended: bool,
}

impl Fenced {
    fn end(&mut self, result: Result<Report, Panicked>) -> Poll<()> {
        self.ended = true;
        self.inside.store(true, Ordering::Release);
        let future = self.future.take();
        let dropped = contained(|| drop(future));
        self.teller.ended(dropped.and(result));
        Poll::Ready(())
    }
}

impl Future for Fenced {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.inside.store(true, Ordering::Release);
        if let Some(make) = self.make.take() {
            self.teller.begun();
            match contained(make) {
                Ok(future) => self.future = Some(future),
                Err(panicked) => return self.end(Err(panicked)),
            }
        }
        let Some(future) = &mut self.future else {
            return Poll::Ready(());
        };
        let polled = contained(|| future.as_mut().poll(cx));
        self.inside.store(false, Ordering::Release);
        match polled {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(report)) => self.end(Ok(report)),
            Err(panicked) => self.end(Err(panicked)),
        }
    }
}

impl Drop for Fenced {
    fn drop(&mut self) {
        if !self.ended {
            let future = self.future.take();
            // what it does when it is dropped may block as well
            self.inside.store(true, Ordering::Release);
            let _ = contained(|| drop(future));
            (self.teller.tell)(Told::Gone);
        }
    }
}
