//! The service under load: two models of two versions each, a queue in front of each model.

use crate::book::{Book, Watched};
use crate::plan::{Plan, Random, Shape, Trouble};
use futures::FutureExt;
use futures::future::{Either, select};
use instrument_inference::queue::{Batch, Caller, Refused, Worker};
use instrument_inference::testing::Rig;
use instrument_inference::{
    Classify, ErrorType, ModelSlot, carry, inference_request, inference_stage,
};
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio::task::yield_now;

pub type Answer = Result<u32, Failure>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    BadInput,
    TooMany,
    Member,
    WholeBatch,
    FoundLate,
    /// Of a request inside.
    Inner,
    /// Hides why from everybody who does not know this type.
    Refused(Refused),
}

impl Classify for Failure {
    fn error_type(&self) -> ErrorType {
        match self {
            Failure::BadInput | Failure::FoundLate => ErrorType::InvalidInput,
            Failure::TooMany => ErrorType::RateLimited,
            Failure::Member => ErrorType::CudaOom,
            Failure::WholeBatch => ErrorType::DeviceFault,
            Failure::Inner | Failure::Refused(_) => ErrorType::Internal,
        }
    }
}

/// What stops a worker in the middle of an execution.
#[derive(Debug)]
pub struct Hold {
    pub entered: oneshot::Sender<()>,
    pub release: oneshot::Receiver<()>,
}

#[derive(Debug)]
pub struct Input {
    trouble: Trouble,
    hold: Mutex<Option<Hold>>,
    /// The worker's last batch.
    last: bool,
}

impl Input {
    pub fn new(trouble: Trouble) -> Input {
        Input {
            trouble,
            hold: Mutex::new(None),
            last: false,
        }
    }

    pub fn holds(hold: Hold) -> Input {
        Input {
            hold: Mutex::new(Some(hold)),
            ..Input::new(Trouble::Nothing)
        }
    }

    pub fn last() -> Input {
        Input {
            last: true,
            ..Input::new(Trouble::Nothing)
        }
    }

    fn take_hold(&self) -> Option<Hold> {
        self.hold
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

/// Held by work that nobody awaits; closed when all of it is done.
pub type Token = mpsc::Sender<Infallible>;

#[derive(Debug)]
pub struct Service {
    pub book: Arc<Book>,
    pub slots: Vec<ModelSlot>,
    pub callers: [Caller<Input, Answer>; 2],
    pub token: Mutex<Option<Token>>,
}

/// Unwinds, without a word on the standard error.
fn planned_panic() -> ! {
    resume_unwind(Box::new("planned"))
}

fn panic_if(is: bool) {
    if is {
        planned_panic();
    }
}

impl Service {
    pub fn token(&self) -> Option<Token> {
        self.token
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub fn caller(&self, slot: usize) -> &Caller<Input, Answer> {
        &self.callers[slot / 2]
    }

    pub async fn ask(&self, slot: usize, input: Input) -> Answer {
        self.book.asked.add(1);
        self.caller(slot)
            .call(input)
            .await
            .map_err(Failure::Refused)?
    }
}

#[inference_stage("preprocess")]
async fn preprocess(book: &Book, trouble: Trouble) -> Result<(), Failure> {
    book.preprocessed.add(1);
    yield_now().await;
    panic_if(trouble == Trouble::PanicsInPreprocess);
    yield_now().await;
    match trouble {
        Trouble::BadInput => Err(Failure::BadInput),
        Trouble::TooMany => Err(Failure::TooMany),
        _ => Ok(()),
    }
}

#[inference_stage("preprocess", labels(cached = cached))]
fn preprocess_at_once(book: &Book, trouble: Trouble, cached: bool) -> Result<(), Failure> {
    book.preprocessed.add(1);
    panic_if(trouble == Trouble::PanicsInPreprocess);
    match trouble {
        Trouble::BadInput => Err(Failure::BadInput),
        Trouble::TooMany => Err(Failure::TooMany),
        _ => Ok(()),
    }
}

#[inference_stage("lookup")]
async fn lookup() {
    for _ in 0..3 {
        yield_now().await;
    }
}

#[inference_stage("rerank")]
fn rerank() {
    std::thread::yield_now();
}

#[inference_stage("rerank")]
async fn rerank_later() {
    yield_now().await;
    rerank();
}

#[inference_stage("postprocess")]
async fn postprocess(trouble: Trouble, answer: u32) -> Answer {
    yield_now().await;
    panic_if(trouble == Trouble::PanicsInPostprocess);
    if trouble == Trouble::FoundLate {
        Err(Failure::FoundLate)
    } else {
        Ok(answer)
    }
}

/// An execution of one.
#[inference_stage("execute")]
fn execute_alone(book: &Book) {
    book.executions.add(1);
    book.members.add(1);
    std::thread::yield_now();
}

#[inference_request(
    model = &service.slots[plan.slot],
    ingress = "http",
    tenant = plan.tenant,
    tier = plan.tier,
    labels(source = plan.source)
)]
async fn predict(service: Arc<Service>, plan: Plan, named: Arc<AtomicBool>) -> Answer {
    named.store(true, Ordering::SeqCst);
    panic_if(plan.trouble == Trouble::PanicsFirst);
    let (ready, ()) = futures::join!(preprocess(&service.book, plan.trouble), lookup());
    ready?;
    match plan.shape {
        Shape::Hops => hop(&service).await,
        Shape::LateWork => return leave_work(&service).await,
        Shape::Root => {
            let named = Arc::new(AtomicBool::new(true));
            let inner = canary(Arc::clone(&service), plan).boxed();
            // it has no tenant
            let plan = Plan {
                tenant: None,
                ..plan
            };
            let _ = Watched::new(&service.book, plan, named, inner).await;
        }
        Shape::Nested => {
            let inner = Plan {
                shape: Shape::Plain,
                ..plan
            };
            return request(&service, inner).await.map_err(|_| Failure::Inner);
        }
        Shape::Plain | Shape::Joined | Shape::Blocking | Shape::Bare => {}
    }
    let answer = service.ask(plan.slot, Input::new(plan.trouble)).await?;
    let answer = postprocess(plan.trouble, answer).await?;
    panic_if(plan.trouble == Trouble::PanicsLast);
    Ok(answer)
}

#[inference_request(ingress = "http")]
async fn gateway(service: Arc<Service>, plan: Plan, named: Arc<AtomicBool>) -> Answer {
    rerank_later().await;
    predict(service, plan, named).await
}

#[inference_request(root, model = &service.slots[plan.slot])]
async fn canary(service: Arc<Service>, plan: Plan) -> Answer {
    execute_alone(&service.book);
    yield_now().await;
    Ok(1)
}

#[inference_request(
    model = &service.slots[plan.slot],
    ingress = "http",
    tenant = plan.tenant,
    tier = plan.tier,
    labels(source = plan.source)
)]
fn predict_blocking(service: &Service, plan: Plan) -> Answer {
    preprocess_at_once(&service.book, plan.trouble, plan.slot == 0)?;
    service.book.asked.add(1);
    let answer = service
        .caller(plan.slot)
        .call_blocking(Input::new(plan.trouble));
    let answer = answer.map_err(Failure::Refused)??;
    panic_if(plan.trouble == Trouble::PanicsLast);
    Ok(answer)
}

async fn hop(service: &Service) {
    let tokens = [(); 3].map(|()| service.token());
    let [first, second, third] = tokens;
    let blocking = instrument_inference::spawn_blocking(move || {
        rerank();
        drop(first);
    });
    let task = instrument_inference::spawn(async move {
        rerank_later().await;
        drop(second);
    });
    let carried = tokio::task::spawn_blocking(carry(rerank));
    let carried = async move {
        let _third = third;
        carried.await
    };
    // a thread that is not awaited to its end when the client leaves: its token goes with the awaiting task
    let carried = tokio::spawn(carried);
    for done in [
        blocking.await.is_ok(),
        task.await.is_ok(),
        carried.await.is_ok(),
    ] {
        assert!(done, "a step on another thread has panicked");
    }
}

async fn leave_work(service: &Arc<Service>) -> Answer {
    let (token, book) = (service.token(), Arc::clone(&service.book));
    drop(instrument_inference::spawn_blocking(move || {
        execute_alone(&book);
        drop(token);
    }));
    yield_now().await;
    Ok(0)
}

/// The request of a plan, not polled yet.
pub fn request(service: &Arc<Service>, plan: Plan) -> Watched {
    let named = Arc::new(AtomicBool::new(plan.shape != Shape::Joined));
    let (inside, told) = (Arc::clone(service), Arc::clone(&named));
    let future = if plan.shape == Shape::Joined {
        gateway(inside, plan, told).boxed()
    } else {
        predict(inside, plan, told).boxed()
    };
    Watched::new(&service.book, plan, named, future)
}

/// A request that is not async, on this thread.
pub fn request_blocking(service: &Service, plan: Plan) {
    service.book.watch(plan, || predict_blocking(service, plan));
}

/// The future's value, unless others have had so many turns before.
pub async fn unless_after<F: Future + Unpin>(future: &mut F, turns: u32) -> Option<F::Output> {
    let patience = pin!(async {
        for _ in 0..turns {
            yield_now().await;
        }
    });
    match select(future, patience).await {
        Either::Left((value, _)) => Some(value),
        Either::Right(_) => None,
    }
}

fn answers(batch: &Batch<Input, Answer>) -> Result<Vec<Answer>, Failure> {
    let any = |trouble| batch.inputs().any(|input| input.trouble == trouble);
    panic_if(any(Trouble::Worker));
    if any(Trouble::Slow) {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_micros(500) {
            std::hint::spin_loop();
        }
    }
    if any(Trouble::WholeBatch) {
        return Err(Failure::WholeBatch);
    }
    let answer = |input: &Input| match input.trouble {
        Trouble::Member => Err(Failure::Member),
        _ => Ok(1),
    };
    Ok(batch.inputs().map(answer).collect())
}

#[inference_stage("execute", batch = batch)]
fn execute(book: &Book, batch: &Batch<Input, Answer>) -> Result<Vec<Answer>, Failure> {
    book.executions.add(1);
    book.members.add(batch.len());
    for hold in batch.inputs().filter_map(Input::take_hold) {
        let _ = hold.entered.send(());
        let _ = hold.release.blocking_recv();
    }
    answers(batch)
}

#[inference_stage("execute", batch = batch)]
async fn execute_later(book: &Book, batch: &Batch<Input, Answer>) -> Result<Vec<Answer>, Failure> {
    book.executions.add(1);
    book.members.add(batch.len());
    yield_now().await;
    for hold in batch.inputs().filter_map(Input::take_hold) {
        let _ = hold.entered.send(());
        let _ = hold.release.await;
    }
    yield_now().await;
    answers(batch)
}

const MOST: usize = 8;
const PATIENCE: Duration = Duration::from_micros(200);

fn finish(batch: Batch<Input, Answer>, answers: Result<Vec<Answer>, Failure>) {
    let size = batch.len();
    batch.finish(answers.unwrap_or_else(|failure| vec![Err(failure); size]));
}

/// A worker on a thread; started again when it panics.
pub fn work(rig: &Rig, book: &Book, worker: &Worker<Input, Answer>) {
    let _inside = rig.enter();
    let until_last = || {
        while let Some(batch) = worker.next_blocking(MOST, PATIENCE) {
            book.batches.add(1);
            let last = batch.inputs().any(|input| input.last);
            let answers = execute(book, &batch);
            finish(batch, answers);
            if last {
                return;
            }
        }
    };
    while catch_unwind(AssertUnwindSafe(until_last)).is_err() {
        book.restarts.add(1);
    }
}

/// A worker that is a task, and sometimes gives up.
pub async fn work_later(book: Arc<Book>, worker: Worker<Input, Answer>, mut random: Random) {
    while let Some(batch) = worker.next(MOST, PATIENCE).await {
        book.batches.add(1);
        let last = batch.inputs().any(|input| input.last);
        let held = batch.inputs().any(|input| {
            let hold = input.hold.lock().unwrap_or_else(PoisonError::into_inner);
            hold.is_some()
        });
        let turns = if random.one_in(10) && !held {
            random.below(2)
        } else {
            u32::MAX
        };
        let executed = {
            let execution = pin!(AssertUnwindSafe(execute_later(&book, &batch)).catch_unwind());
            let mut execution = execution;
            unless_after(&mut execution, turns).await
        };
        match executed {
            Some(Ok(answers)) => finish(batch, answers),
            Some(Err(_)) => book.restarts.add(1),
            None => book.abandoned.add(1),
        }
        if last {
            return;
        }
    }
}
