//! The load: rounds of random requests, with a look at the scrape after each, and one that never stops looking.

use crate::book::Book;
use crate::checks::{self, MODELS};
use crate::plan::{Leaves, Plan, Random, Shape, Trouble};
use crate::scraped::Scraped;
use crate::service::{self, Hold, Input, Service};
use futures::FutureExt;
use instrument_inference::ModelSlot;
use instrument_inference::queue;
use instrument_inference::testing::Rig;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinSet, spawn_blocking, yield_now};

const ROUNDS: usize = 3;
const REQUESTS: usize = 500;
const CAPACITY: u32 = 24;

/// Everything that one seed runs.
struct Load {
    rig: Arc<Rig>,
    service: Arc<Service>,
    random: Random,
    /// How many certainly waited at one time, in each queue.
    waited: [u64; 2],
    closed: mpsc::Receiver<std::convert::Infallible>,
}

pub fn run(seed: u64, mut runtime: Builder) {
    let rig = Arc::new(Rig::builder().real_clock().start());
    let slots: Vec<_> = MODELS
        .iter()
        .map(|(name, version)| rig.model(name, version))
        .collect();
    let entered = Arc::clone(&rig);
    let runtime = runtime
        .worker_threads(2)
        .enable_all()
        // every thread of the runtime belongs to this rig until it ends
        .on_thread_start(move || std::mem::forget(entered.enter()))
        .build()
        .expect("a runtime starts");
    let _inside = rig.enter();
    let scraper = Scraper::start(&rig);
    runtime.block_on(load(&rig, slots, Random::new(seed)));
    let last = scraper.stop();
    assert!(last > ROUNDS, "{last} scrapes are too few to mean anything");
}

async fn load(rig: &Arc<Rig>, slots: Vec<ModelSlot>, mut random: Random) {
    let book = Arc::<Book>::default();
    let (first, on_thread) = queue::batcher("first", CAPACITY as usize);
    let (second, on_task) = queue::batcher("second", CAPACITY as usize);
    let callers = [first.model(&slots[0]), second.model(&slots[2])];
    let (rig_of_worker, book_of_worker) = (Arc::clone(rig), Arc::clone(&book));
    let thread = std::thread::spawn(move || {
        service::work(&rig_of_worker, &book_of_worker, &on_thread);
    });
    let seed = u64::from(random.below(1_000));
    let task = tokio::spawn(service::work_later(
        Arc::clone(&book),
        on_task,
        Random::new(seed),
    ));
    let (_, closed) = mpsc::channel(1);
    let service = Arc::new(Service {
        book,
        slots,
        callers,
        token: Mutex::new(None),
    });
    let mut load = Load {
        rig: Arc::clone(rig),
        service,
        random,
        waited: [0, 0],
        closed,
    };
    for _ in 0..ROUNDS {
        load.open();
        for queue in 0..2 {
            load.crowd(queue).await;
        }
        load.round(REQUESTS).await;
        load.close().await;
        for queue in 0..2 {
            load.wait_for_worker(queue).await;
        }
        checks::waits(&load.check(), &load.service.book);
    }
    load.open();
    load.part().await;
    load.close().await;
    task.await.expect("the worker has ended");
    let joined = spawn_blocking(move || thread.join().is_ok());
    assert!(joined.await.unwrap_or(false), "the worker has ended");
    let _ = load.check();
    let book = &load.service.book;
    assert!(book.restarts.get() > 0 && book.abandoned.get() > 0);
}

impl Load {
    /// Begins to count work that nobody awaits.
    fn open(&mut self) {
        let (token, closed) = mpsc::channel(1);
        *self.token() = Some(token);
        self.closed = closed;
    }

    fn token(&self) -> std::sync::MutexGuard<'_, Option<service::Token>> {
        let token = self.service.token.lock();
        token.unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for work that nobody awaits.
    async fn close(&mut self) {
        *self.token() = None;
        let closed = self.closed.recv().await;
        assert!(closed.is_none(), "nobody sends");
    }

    /// Random requests, of which only so many live at one time.
    async fn round(&mut self, requests: usize) {
        let most = self.random.of(&[4, 24, 96]);
        let mut clients = JoinSet::new();
        for _ in 0..requests {
            while clients.len() >= most {
                client_ended(clients.join_next().await);
            }
            let plan = Plan::draw(&mut self.random);
            clients.spawn(client(Arc::clone(&self.service), plan));
            if self.random.one_in(8) {
                yield_now().await;
            }
            if self.random.one_in(16) {
                self.load_or_unload();
            }
        }
        while let Some(ended) = clients.join_next().await {
            client_ended(Some(ended));
        }
    }

    fn load_or_unload(&mut self) {
        let slot = &self.service.slots[self.random.below(4) as usize];
        let book = &self.service.book;
        match self.random.below(4) {
            0 => slot.unload(),
            1 => {
                assert!(slot.load(|| Ok::<_, ()>(())).is_ok());
                book.loaded.add(1);
            }
            2 => {
                assert!(slot.load(|| Err::<(), _>(())).is_err());
                book.not_loaded.add(1);
            }
            _ => {
                let panics = || {
                    slot.load(|| -> Result<(), ()> {
                        std::panic::resume_unwind(Box::new("planned"))
                    })
                };
                assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
                book.not_loaded.add(1);
            }
        }
    }

    /// Stops a worker in the middle of an execution, lets requests wait, and looks while nothing moves.
    async fn crowd(&mut self, queue: usize) {
        let (entered, is_in) = oneshot::channel();
        let (let_go, release) = oneshot::channel();
        let hold = Input::holds(Hold { entered, release });
        let service = Arc::clone(&self.service);
        service.book.bare.add(1);
        let stopped = tokio::spawn(async move { service.ask(queue * 2, hold).await });
        is_in.await.expect("the worker executes");

        let size = 2 + self.random.below(CAPACITY - 4);
        let leave = self.random.below(size) as usize;
        let size = size as usize;
        let asked = self.service.book.asked.get();
        let mut waiting: Vec<_> = (0..size)
            .map(|_| {
                let slot = queue * 2 + self.random.below(2) as usize;
                service::request(&self.service, Plan::plain(slot))
            })
            .collect();
        while self.service.book.asked.get() < asked + size as u64 {
            for one in &mut waiting {
                assert!(futures::poll!(one).is_pending(), "nobody answers");
            }
            yield_now().await;
        }
        let now = self.scrape();
        let name = ["first", "second"][queue];
        let label = [("queue", name)];
        assert_eq!(now.count("inference_queue_size", &label), size as u64);
        assert!(now.sum("inference_queue_oldest_age_seconds", &label) > 0.0);
        let (begun, ended) = (
            self.service.book.started.get(),
            now.count("inference_requests_total", &[]),
        );
        let in_flight = now.count("inference_requests_in_flight", &[]);
        assert_eq!(
            begun,
            ended + in_flight,
            "what has begun has ended or goes on"
        );
        assert_eq!(in_flight, size as u64);
        let queue_stage = [("stage", "queue")];
        assert_eq!(
            now.count("inference_stage_in_flight", &queue_stage),
            size as u64
        );
        self.waited[queue] = self.waited[queue].max(size as u64);

        // some leave the queue
        waiting.truncate(size - leave);
        let _ = let_go.send(());
        for one in waiting {
            let _ = AssertUnwindSafe(one).catch_unwind().await;
        }
        let _ = stopped.await.expect("it is answered in some way");
    }

    /// Asks until there is an answer: what was in the queue before has been executed then.
    async fn wait_for_worker(&self, queue: usize) {
        while service::request(&self.service, Plan::plain(queue * 2))
            .await
            .is_err()
        {}
    }

    /// The workers leave while requests come.
    async fn part(&mut self) {
        let mut leaving = JoinSet::new();
        for queue in 0..2 {
            let service = Arc::clone(&self.service);
            service.book.bare.add(1);
            leaving.spawn(async move {
                let _ = service.ask(queue * 2, Input::last()).await;
            });
        }
        self.round(60).await;
        while let Some(ended) = leaving.join_next().await {
            ended.expect("it is answered in some way");
        }
    }

    fn scrape(&self) -> Scraped {
        let text = self.rig.scrape();
        assert!(!text.contains("otel_metric_overflow"));
        Scraped::read(&text).expect("a scrape can be read")
    }

    /// Nothing moves.
    fn check(&self) -> Scraped {
        let (scraped, service) = (self.scrape(), &self.service);
        checks::requests(&scraped, &service.book);
        checks::stages(&scraped, &service.book);
        checks::seconds(&scraped, &service.book);
        checks::queues(&scraped, self.waited);
        checks::models_are(&scraped, &service.slots, &service.book);
        let again = self.scrape();
        again.follows(&scraped).expect("nothing went back");
        scraped.follows(&again).expect("nothing moves");
        again
    }
}

fn client_ended(ended: Option<Result<(), tokio::task::JoinError>>) {
    ended
        .expect("there is one")
        .expect("a client contains what its request does");
}

/// One client, who may leave.
async fn client(service: Arc<Service>, plan: Plan) {
    match plan.shape {
        Shape::Bare => {
            // an answer for which no request waits
            let trouble = match plan.trouble {
                Trouble::Worker | Trouble::Slow => Trouble::Nothing,
                other => other,
            };
            service.book.bare.add(1);
            let _ = service.ask(plan.slot, Input::new(trouble)).await;
            return;
        }
        Shape::Blocking => {
            let blocking = spawn_blocking(move || service::request_blocking(&service, plan));
            blocking.await.expect("it contains what its request does");
            return;
        }
        _ => {}
    }
    let request = service::request(&service, plan);
    let mut request = AssertUnwindSafe(request).catch_unwind();
    match plan.leaves {
        Leaves::BeforeItBegins => {}
        Leaves::Never => drop(request.await),
        Leaves::After(turns) => drop(service::unless_after(&mut request, turns).await),
        Leaves::Elsewhere(turns) => {
            let ended = service::unless_after(&mut request, turns).await;
            if ended.is_none() {
                std::thread::spawn(move || drop(request))
                    .join()
                    .expect("nothing panics when it is dropped");
            }
        }
    }
}

/// Scrapes all the time.
struct Scraper {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<usize>,
}

impl Scraper {
    fn start(rig: &Arc<Rig>) -> Scraper {
        let (rig, stop) = (Arc::clone(rig), Arc::<AtomicBool>::default());
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let (mut before, mut scrapes) = (Scraped::default(), 0);
            while !stopped.load(Ordering::SeqCst) {
                let now = Scraped::read(&rig.scrape()).expect("a scrape can be read");
                now.follows(&before).expect("nothing went back");
                before = now;
                scrapes += 1;
            }
            scrapes
        });
        Scraper { stop, thread }
    }

    /// How many scrapes there were.
    fn stop(self) -> usize {
        self.stop.store(true, Ordering::SeqCst);
        self.thread.join().expect("every scrape was sound")
    }
}
