//! A queue whose other end takes batches: handlers call, a worker executes many of their inputs at once.

use crate::record::catalog;
use crate::record::local;
use crate::record::series::Kind;
use crate::request::context::RequestContext;
use crate::request::members::Members;
use crate::request::outcome::ToOutcome;
use crate::request::queue::{self, Meter, Queued};
use crate::slot::model_slot::ModelSlot;
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::{Outcome, Rejection};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A queue with a caller for the handlers and a worker for the model. `In` is what a handler gives, `Out` what it gets
/// back: usually a `Result`. `name` is a label, `capacity` how many inputs may wait before a call is refused; beside
/// them wait those that the worker has gathered for its next batch.
///
/// When the worker is dropped, or unwound by a panic, its callers are told so: those whose inputs it had by
/// [`Refused::Unanswered`], those who come later by [`Refused::Gone`]. Both are errors, not rejections.
///
/// ```
/// # use instrument_runtime as instrument_inference;
/// use instrument_inference::queue;
/// use std::time::Duration;
///
/// let (caller, worker) = queue::batcher::<u32, Result<u32, std::io::Error>>("doubler", 64);
/// std::thread::spawn(move || {
///     while let Some(batch) = worker.next_blocking(32, Duration::from_millis(2)) {
///         let doubled = batch.inputs().map(|input| Ok(input * 2)).collect();
///         batch.finish(doubled);
///     }
/// });
/// assert_eq!(caller.call_blocking(21)??, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn batcher<In, Out>(name: &'static str, capacity: usize) -> (Caller<In, Out>, Worker<In, Out>) {
    let (sender, receiver) = flume::bounded(capacity.max(1));
    let meter = queue::meter(name, capacity.max(1));
    let worker = Worker {
        receiver,
        kept: Mutex::default(),
        meter,
        state: Arc::default(),
    };
    let caller = Caller {
        sender,
        left_behind: worker.receiver.clone(),
        meter: worker.meter.clone(),
        state: Arc::clone(&worker.state),
    };
    (caller, worker)
}

/// An input that waits, and where its answer goes.
struct Call<In, Out> {
    input: In,
    answer: flume::Sender<Out>,
}

type Waiting<In, Out> = Queued<Call<In, Out>>;

/// What the two ends know of each other.
#[derive(Debug, Default)]
struct State {
    draining: AtomicBool,
    worker_is_gone: AtomicBool,
}

/// The end for handlers. Cheap to clone.
pub struct Caller<In, Out> {
    sender: flume::Sender<Waiting<In, Out>>,
    /// For what was sent at the moment when the worker went.
    left_behind: flume::Receiver<Waiting<In, Out>>,
    meter: Meter,
    state: Arc<State>,
}

/// Why a call has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// As many inputs wait as the queue takes.
    Full,
    /// The worker takes no more: it is on its way out.
    Draining,
    /// The worker is gone, and did not say that it would go: it panicked, or was dropped.
    Gone,
    /// The worker took the input and has not answered it: it panicked, or answered fewer than it took.
    Unanswered,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::Full => "the queue is full",
            Refused::Draining => "the service takes no more requests",
            Refused::Gone => "the worker is gone",
            Refused::Unanswered => "the worker has not answered",
        })
    }
}

impl std::error::Error for Refused {}

impl ToOutcome for Refused {
    fn to_outcome(&self) -> Outcome {
        match self {
            Refused::Full => Outcome::Rejected(Rejection::QueueFull),
            Refused::Draining => Outcome::Rejected(Rejection::Draining),
            Refused::Gone => Outcome::Error(ErrorType::Unavailable),
            Refused::Unanswered => Outcome::Error(ErrorType::Internal),
        }
    }
}

impl<In, Out> Caller<In, Out> {
    /// The queue is in front of this model, and shown from now on, empty; without it, it is in front of the only one
    /// that is declared, and shown from the first call on.
    #[must_use]
    pub fn model(mut self, model: &ModelSlot) -> Caller<In, Out> {
        self.meter = self.meter.model(model);
        self.meter.show();
        self
    }

    /// Gives an input to the worker and waits for its answer, for the request that runs here.
    ///
    /// # Errors
    /// When the queue refuses, or the worker does not answer.
    pub async fn call(&self, input: In) -> Result<Out, Refused> {
        self.send(input)?
            .recv_async()
            .await
            .map_err(|_| Refused::Unanswered)
    }

    /// [`call`](Caller::call) for code that is not async: blocks the thread.
    ///
    /// # Errors
    /// When the queue refuses, or the worker does not answer.
    pub fn call_blocking(&self, input: In) -> Result<Out, Refused> {
        self.send(input)?.recv().map_err(|_| Refused::Unanswered)
    }

    fn send(&self, input: In) -> Result<flume::Receiver<Out>, Refused> {
        if self.state.draining.load(Ordering::Acquire) {
            return Err(refuse(Refused::Draining));
        }
        if self.state.worker_is_gone.load(Ordering::Acquire) {
            return Err(Refused::Gone);
        }
        let (answer, answered) = flume::bounded(1);
        let waiting = self.meter.wrap(Call { input, answer });
        if let Err(back) = self.sender.try_send(waiting) {
            back.into_inner().refused(Rejection::QueueFull);
            return Err(refuse(Refused::Full));
        }
        if self.state.worker_is_gone.load(Ordering::SeqCst) {
            // it may have been sent after the worker has emptied the queue for the last time, or answered before
            drop(self.left_behind.drain());
            if answered.is_empty() && answered.is_disconnected() {
                return Err(Refused::Gone);
            }
        }
        Ok(answered)
    }
}

/// Notes the reason in the request, because the service's own error may hide it.
fn refuse(refused: Refused) -> Refused {
    if let (Outcome::Rejected(reason), Some(context)) =
        (refused.to_outcome(), RequestContext::current())
    {
        context.rejected(reason);
    }
    refused
}

impl<In, Out> Clone for Caller<In, Out> {
    fn clone(&self) -> Caller<In, Out> {
        Caller {
            sender: self.sender.clone(),
            left_behind: self.left_behind.clone(),
            meter: self.meter.clone(),
            state: Arc::clone(&self.state),
        }
    }
}

impl<In, Out> fmt::Debug for Caller<In, Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller")
            .field("meter", &self.meter)
            .finish_non_exhaustive()
    }
}

/// The end for the model.
pub struct Worker<In, Out> {
    receiver: flume::Receiver<Waiting<In, Out>>,
    /// What a `next` had taken that was dropped before it had a batch.
    kept: Mutex<Vec<Waiting<In, Out>>>,
    meter: Meter,
    state: Arc<State>,
}

/// Longer than anybody waits for a batch, and short enough to be added to any instant.
const FOREVER: Duration = Duration::from_secs(100 * 365 * 86_400);

impl<In, Out> Waiting<In, Out> {
    /// Not when its client has left, or nobody waits for the answer any more.
    fn is_wanted(&self) -> bool {
        !self.is_cancelled() && !self.get().answer.is_disconnected()
    }
}

/// What a batch will be made of. Dropped before, it goes back to the worker.
struct Taken<'a, In, Out> {
    worker: &'a Worker<In, Out>,
    calls: Vec<Waiting<In, Out>>,
}

impl<In, Out> Taken<'_, In, Out> {
    /// Those whose client has left are not handed out.
    fn add(&mut self, call: Waiting<In, Out>) {
        if call.is_wanted() {
            self.calls.push(call);
        }
    }

    fn batch(mut self, trigger: Trigger) -> Batch<In, Out> {
        self.worker.batch(std::mem::take(&mut self.calls), trigger)
    }
}

impl<In, Out> Drop for Taken<'_, In, Out> {
    fn drop(&mut self) {
        if !self.calls.is_empty() {
            // they came before whatever another one has put back meanwhile
            let mut kept = self.worker.kept();
            kept.splice(..0, self.calls.drain(..));
        }
    }
}

/// What closed a batch.
#[derive(Debug, Clone, Copy)]
enum Trigger {
    Full,
    Timeout,
    Flush,
}

impl<In, Out> Worker<In, Out> {
    /// Waits for a first input, then for more of them for `patience`, `max` in all; `None` when every caller is gone.
    /// Inputs whose client has left are not handed out.
    pub fn next_blocking(&self, max: usize, patience: Duration) -> Option<Batch<In, Out>> {
        let mut taken = self.taken(max);
        while taken.calls.is_empty() {
            taken.add(self.receiver.recv().ok()?);
        }
        let deadline = Instant::now() + patience.min(FOREVER);
        let trigger = loop {
            if taken.calls.len() >= max {
                break Trigger::Full;
            }
            match self.receiver.recv_deadline(deadline) {
                Ok(call) => taken.add(call),
                Err(flume::RecvTimeoutError::Timeout) => break Trigger::Timeout,
                Err(flume::RecvTimeoutError::Disconnected) => break Trigger::Flush,
            }
        };
        Some(taken.batch(trigger))
    }

    /// [`next_blocking`](Worker::next_blocking) for a worker that is async. It may be dropped, by a `select!` for
    /// example: what it had taken is handed out by the next one.
    ///
    /// # Panics
    /// Outside of a tokio runtime with its timer on.
    pub async fn next(&self, max: usize, patience: Duration) -> Option<Batch<In, Out>> {
        let mut taken = self.taken(max);
        while taken.calls.is_empty() {
            taken.add(self.receiver.recv_async().await.ok()?);
        }
        let deadline = tokio::time::Instant::now() + patience.min(FOREVER);
        let trigger = loop {
            if taken.calls.len() >= max {
                break Trigger::Full;
            }
            match tokio::time::timeout_at(deadline, self.receiver.recv_async()).await {
                Ok(Ok(call)) => taken.add(call),
                Ok(Err(flume::RecvError::Disconnected)) => break Trigger::Flush,
                Err(_) => break Trigger::Timeout,
            }
        };
        Some(taken.batch(trigger))
    }

    /// Begins with what was kept.
    fn taken(&self, max: usize) -> Taken<'_, In, Out> {
        let mut calls = Vec::new();
        let mut kept = self.kept();
        kept.retain(Waiting::is_wanted);
        let take = kept.len().min(max.max(1));
        calls.extend(kept.drain(..take));
        drop(kept);
        Taken {
            worker: self,
            calls,
        }
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Waiting<In, Out>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes no more calls: they are refused as [`Refused::Draining`]. What waits already is still handed out.
    pub fn drain(&self) {
        self.state.draining.store(true, Ordering::Release);
    }

    fn batch(&self, calls: Vec<Waiting<In, Out>>, trigger: Trigger) -> Batch<In, Out> {
        let trigger = match trigger {
            Trigger::Full => "full",
            Trigger::Timeout => "timeout",
            Trigger::Flush => "flush",
        };
        if let Some((recorder, model)) = self.meter.recorder() {
            let series = recorder.count(&catalog::BATCHES, Some(model), &[("trigger", trigger)]);
            local::with(|local| local.push(series.event(Kind::COUNT, 1)));
        }
        let (mut inputs, mut answers, mut contexts) = (Vec::new(), Vec::new(), Vec::new());
        for call in calls {
            let (call, context) = call.take_with_context();
            inputs.push(call.input);
            answers.push(call.answer);
            contexts.push(context);
        }
        Batch {
            inputs,
            answers,
            contexts,
        }
    }
}

impl<In, Out> Drop for Worker<In, Out> {
    fn drop(&mut self) {
        self.state.worker_is_gone.store(true, Ordering::SeqCst);
        // nobody waits for an answer that cannot come
        drop(self.receiver.drain());
    }
}

impl<In, Out> fmt::Debug for Worker<In, Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("meter", &self.meter)
            .finish_non_exhaustive()
    }
}

/// Inputs that are executed together: what `batch = …` takes. Dropped without [`finish`](Batch::finish), its callers get
/// [`Refused::Unanswered`].
pub struct Batch<In, Out> {
    inputs: Vec<In>,
    answers: Vec<flume::Sender<Out>>,
    contexts: Vec<Option<RequestContext>>,
}

impl<In, Out> Batch<In, Out> {
    /// How many inputs; never 0.
    #[allow(clippy::len_without_is_empty, reason = "a batch is never empty")]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// The inputs, in the order in which they came.
    pub fn inputs(&self) -> std::slice::Iter<'_, In> {
        self.inputs.iter()
    }

    /// The inputs, to be consumed; they are not there any more then.
    pub fn take_inputs(&mut self) -> Vec<In> {
        std::mem::take(&mut self.inputs)
    }

    /// Answers each input, in the order in which they came. Answers that are too many go nowhere; whoever gets none is
    /// told so.
    pub fn finish(self, answers: Vec<Out>) {
        for (caller, answer) in self.answers.into_iter().zip(answers) {
            // the client may have left meanwhile
            let _ = caller.try_send(answer);
        }
    }
}

impl<In, Out> Members for Batch<In, Out> {
    fn each_member(&self, see: &mut dyn FnMut(Option<&RequestContext>)) {
        self.contexts
            .iter()
            .for_each(|context| see(context.as_ref()));
    }
}

impl<In, Out> fmt::Debug for Batch<In, Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
