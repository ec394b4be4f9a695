//! What the clients and the workers saw.

use crate::plan::Plan;
use crate::service::{Answer, Failure};
use futures::future::BoxFuture;
use instrument_inference::queue::Refused;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    pub fn add(&self, more: usize) {
        self.0.fetch_add(more as u64, Ordering::SeqCst);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

#[derive(Debug, Default)]
pub struct Book {
    pub started: Count,
    /// What went into a queue, requests or not.
    pub asked: Count,
    /// What went into a queue outside of any request.
    pub bare: Count,
    pub preprocessed: Count,
    pub batches: Count,
    pub executions: Count,
    pub members: Count,
    /// Restarts of a worker after a panic.
    pub restarts: Count,
    /// Executions that were given up half-way.
    pub abandoned: Count,
    pub loaded: Count,
    pub not_loaded: Count,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default, Clone)]
pub struct Seen {
    /// By the place of the model, or none, and outcome.
    pub ended: BTreeMap<(Option<usize>, &'static str), u64>,
    /// Of those with a tenant, by outcome.
    pub tenants: BTreeMap<&'static str, u64>,
    pub rejected: BTreeMap<&'static str, u64>,
}

impl Seen {
    pub fn by_outcome(&self) -> BTreeMap<&'static str, u64> {
        let mut sums = BTreeMap::new();
        for ((_, outcome), count) in &self.ended {
            *sums.entry(*outcome).or_insert(0) += count;
        }
        sums
    }

    pub fn by_model(&self) -> BTreeMap<Option<usize>, u64> {
        let mut sums = BTreeMap::new();
        for ((model, _), count) in &self.ended {
            *sums.entry(*model).or_insert(0) += count;
        }
        sums
    }
}

impl Book {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn seen(&self) -> Seen {
        self.lock().clone()
    }

    /// `named`: whether the handler that names model and tenant was reached.
    fn ended(&self, plan: Plan, named: bool, outcome: &'static str, reason: Option<&'static str>) {
        let mut seen = self.lock();
        let model = named.then_some(plan.slot);
        *seen.ended.entry((model, outcome)).or_insert(0) += 1;
        if named && plan.tenant.is_some() {
            *seen.tenants.entry(outcome).or_insert(0) += 1;
        }
        if let Some(reason) = reason {
            *seen.rejected.entry(reason).or_insert(0) += 1;
        }
    }

    fn answered(&self, plan: Plan, named: bool, answer: Answer) {
        let reason = match answer {
            Err(Failure::BadInput) => Some("invalid_input"),
            Err(Failure::TooMany) => Some("rate_limited"),
            Err(Failure::Refused(Refused::Full)) => Some("queue_full"),
            Err(Failure::Refused(Refused::Draining)) => Some("draining"),
            _ => None,
        };
        let outcome = match (reason, answer) {
            (Some(_), _) => "rejected",
            (None, Ok(_)) => "ok",
            (None, Err(_)) => "error",
        };
        self.ended(plan, named, outcome, reason);
    }

    /// A request that is not async.
    pub fn watch(&self, plan: Plan, request: impl FnOnce() -> Answer) {
        self.started.add(1);
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(request)) {
            Ok(answer) => self.answered(plan, true, answer),
            Err(_) => self.ended(plan, true, "panicked", None),
        }
    }
}

/// A request as its client sees it.
pub struct Watched {
    future: Option<BoxFuture<'static, Answer>>,
    book: Arc<Book>,
    plan: Plan,
    named: Arc<AtomicBool>,
    started: bool,
    polling: bool,
}

impl Watched {
    pub fn new(
        book: &Arc<Book>,
        plan: Plan,
        named: Arc<AtomicBool>,
        future: BoxFuture<'static, Answer>,
    ) -> Watched {
        Watched {
            future: Some(future),
            book: Arc::clone(book),
            plan,
            named,
            started: false,
            polling: false,
        }
    }

    fn named(&self) -> bool {
        self.named.load(Ordering::SeqCst)
    }
}

impl Future for Watched {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answer> {
        if !self.started {
            self.started = true;
            self.book.started.add(1);
        }
        self.polling = true;
        let future = self.future.as_mut().expect("not polled after its end");
        let polled = future.as_mut().poll(cx);
        self.polling = false;
        if let Poll::Ready(answer) = polled {
            self.future = None;
            self.book.answered(self.plan, self.named(), answer);
        }
        polled
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let Some(future) = self.future.take() else {
            return;
        };
        drop(future);
        if self.started {
            let outcome = if self.polling {
                "panicked"
            } else {
                "cancelled"
            };
            self.book.ended(self.plan, self.named(), outcome, None);
        }
    }
}
