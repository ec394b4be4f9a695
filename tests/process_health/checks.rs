//! Checks that block, hang, panic, starve and come late: on real threads and real runtimes.

use instrument_inference::{Health, Verdict, health_check, reason};
use std::future::pending;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static RUNS: AtomicUsize = AtomicUsize::new(0);
static GO_ON: AtomicBool = AtomicBool::new(false);

/// Until the test says so, which most do not.
fn block() {
    while !GO_ON.load(Ordering::Acquire) {
        std::thread::park_timeout(super::SHORT);
    }
}

#[health_check(cache = "400ms", timeout = "50ms")]
fn blocks() {
    RUNS.fetch_add(1, Ordering::AcqRel);
    block();
}

#[health_check(cache = "400ms", timeout = "50ms")]
async fn blocks_its_worker() {
    RUNS.fetch_add(1, Ordering::AcqRel);
    block();
}

/// Lives as long as the future that holds it.
struct Held;

static HELD: AtomicUsize = AtomicUsize::new(0);

impl Held {
    fn new() -> Held {
        HELD.fetch_add(1, Ordering::AcqRel);
        Held
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        HELD.fetch_sub(1, Ordering::AcqRel);
    }
}

#[health_check(cache = "400ms", timeout = "50ms")]
async fn waits_for_ever() {
    RUNS.fetch_add(1, Ordering::AcqRel);
    let _held = Held::new();
    pending::<()>().await;
}

#[health_check(cache = "400ms", timeout = "100ms")]
fn well() {
    RUNS.fetch_add(1, Ordering::AcqRel);
}

#[health_check(cache = "400ms", timeout = "100ms")]
async fn well_async() {
    RUNS.fetch_add(1, Ordering::AcqRel);
}

#[health_check(cache = "400ms", timeout = "100ms")]
fn panics() {
    panic!("password=hunter2");
}

#[health_check(cache = "400ms", timeout = "100ms")]
async fn panics_in_a_poll() {
    std::future::ready(()).await;
    panic!("password=hunter2");
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "password=hunter2");
    }
}

#[health_check(cache = "400ms", timeout = "100ms")]
async fn panics_when_dropped() {
    let _held = PanicsWhenDropped;
    pending::<()>().await;
}

struct Unprintable;

impl std::fmt::Display for Unprintable {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("password=hunter2")
    }
}

#[health_check(cache = "400ms", timeout = "100ms")]
fn panics_when_shown() -> Result<(), Unprintable> {
    Err(Unprintable)
}

struct Store {
    open: bool,
}

#[health_check(cache = "400ms", timeout = "100ms")]
fn store(store: &Store) -> Health {
    if store.open {
        Health::up()
    } else {
        Health::down(reason!("store_closed"))
    }
}

/// A state whose end takes long, and goes wrong.
struct Hoard;

impl Drop for Hoard {
    fn drop(&mut self) {
        HELD.fetch_add(1, Ordering::AcqRel);
        block();
        panic!("password=hunter2");
    }
}

#[health_check(cache = "400ms", timeout = "100ms")]
fn hoards(_hoard: &Hoard) {}

#[health_check(cache = "1h", timeout = "5s")]
fn seldom() {
    RUNS.fetch_add(1, Ordering::AcqRel);
}

static OUTSIDE: AtomicBool = AtomicBool::new(false);

/// A blocking client panics inside of a runtime.
#[health_check(cache = "400ms", timeout = "100ms")]
fn runs_outside() {
    let outside = tokio::runtime::Handle::try_current().is_err();
    OUTSIDE.store(outside, Ordering::Release);
    tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime of its own")
        .block_on(async {});
}

static SEEN: Mutex<Vec<bool>> = Mutex::new(Vec::new());

#[health_check(cache = "400ms", timeout = "50ms")]
fn looks_at_the_time() {
    while !instrument_inference::check_is_overdue() {
        std::thread::park_timeout(super::SHORT / 20);
    }
    SEEN.lock().expect("nobody panics with it").push(true);
}

#[health_check(cache = "1s", timeout = "100ms", failures = 1)]
async fn yields_once() {
    tokio::task::yield_now().await;
}

pub mod told {
    use super::*;
    use crate::story::until;
    use crate::{builder, install, probe, runtime, stop, threads, value};
    use instrument_inference::check;
    use std::time::{Duration, Instant};

    fn runs() -> usize {
        RUNS.load(Ordering::Acquire)
    }

    pub fn a_check_that_never_returns_costs_one_thread() {
        let (telemetry, health) = install(builder().checks([check!(blocks), check!(well)]));
        until("it is judged", || {
            let body = probe(health, "/readyz").body;
            body.contains("timeout") || body.contains("hung")
        });
        // many periods later there is still one thread
        let hung = "inference_health_check_runs_total{check=\"blocks\",result=\"hung\"}";
        until("many periods", || {
            value(&telemetry, hung).unwrap_or(0.0) >= 8.0
        });
        assert_eq!(threads("instrument-chec") - 1, 1, "and the scheduler's");
        let zombies = "inference_health_check_zombies{check=\"blocks\"}";
        assert_eq!(value(&telemetry, zombies), Some(1.0));
        assert_eq!(telemetry.health().verdict("well"), Some(Verdict::Up));
        // when it returns, it is run again
        GO_ON.store(true, Ordering::Release);
        until("it recovers", || probe(health, "/readyz").status == 200);
        let late = "inference_health_check_late_results_total{check=\"blocks\"}";
        assert_eq!(value(&telemetry, late), Some(1.0));
        GO_ON.store(false, Ordering::Release);
        until("it hangs again", || probe(health, "/readyz").status == 503);
        // nobody waits for it
        let begun = Instant::now();
        stop(&telemetry);
        assert!(begun.elapsed() < Duration::from_secs(20));
    }

    pub fn an_async_check_that_blocks_is_hung_and_others_go_on() {
        let runtime = runtime(2);
        let (telemetry, health) = install(
            builder()
                .runtime(runtime.handle().clone())
                .checks([check!(blocks_its_worker), check!(well_async)]),
        );
        until("it is judged", || {
            probe(health, "/readyz").body.contains("hung")
        });
        let pass = "inference_health_check_runs_total{check=\"well_async\",result=\"pass\"}";
        let before = value(&telemetry, pass).unwrap_or(0.0);
        until("the other one goes on", || {
            value(&telemetry, pass).unwrap_or(0.0) >= before + 3.0
        });
        assert_eq!(telemetry.health().verdict("well_async"), Some(Verdict::Up));
        GO_ON.store(true, Ordering::Release);
        until("it recovers", || probe(health, "/readyz").status == 200);
        stop(&telemetry);
    }

    pub fn an_async_check_that_waits_for_ever_is_dropped() {
        let runtime = runtime(1);
        let (telemetry, health) = install(
            builder()
                .runtime(runtime.handle().clone())
                .checks([check!(waits_for_ever)]),
        );
        until("it is judged", || {
            probe(health, "/readyz").body.contains("timeout")
        });
        until("it is run again and again", || runs() >= 5);
        assert!(HELD.load(Ordering::Acquire) <= 1);
        stop(&telemetry);
        until("nothing is left", || HELD.load(Ordering::Acquire) == 0);
    }

    pub fn panics_everywhere_are_failures() {
        std::panic::set_hook(Box::new(|_| {}));
        let runtime = runtime(1);
        let all = [
            check!(panics),
            check!(panics_in_a_poll),
            check!(panics_when_dropped),
            check!(panics_when_shown),
        ];
        let names = [
            "panics",
            "panics_in_a_poll",
            "panics_when_dropped",
            "panics_when_shown",
        ];
        let (telemetry, health) = install(builder().runtime(runtime.handle().clone()).checks(all));
        for name in names {
            until(name, || {
                telemetry.health().verdict(name) == Some(Verdict::Down)
            });
        }
        for result in ["panic", "panic", "timeout", "panic"].iter().zip(names) {
            let (result, name) = result;
            let series = format!(
                "inference_health_check_runs_total{{check=\"{name}\",result=\"{result}\"}}"
            );
            until(name, || value(&telemetry, &series).unwrap_or(0.0) >= 2.0);
        }
        // what they said is nobody's business
        for path in ["/health?verbose", "/readyz?verbose", "/readyz/panics"] {
            let body = probe(health, path).body;
            assert!(!body.contains("hunter2"), "{body}");
        }
        assert!(!telemetry.scrape().contains("hunter2"));
        stop(&telemetry);
    }

    pub fn async_checks_need_no_runtime_of_the_service() {
        let (telemetry, health) = install(builder().checks([check!(well_async)]));
        until("it is well", || probe(health, "/readyz").status == 200);
        // a new thread has the name of the one that starts it until it has its own
        until("there are the scheduler and the checks", || {
            threads("instrument-chec") == 2
        });
        // that one is ours: it says nothing of the application
        let lag = "inference_runtime_lag_seconds";
        assert_eq!(value(&telemetry, lag), None);
        stop(&telemetry);
        until("its thread ends", || threads("instrument-chec") == 0);
    }

    pub fn a_dropped_runtime_is_no_failure_of_its_checks() {
        let runtime = runtime(1);
        let (telemetry, health) = install(
            builder()
                .runtime(runtime.handle().clone())
                .checks([check!(well_async)]),
        );
        until("it is well", || probe(health, "/readyz").status == 200);
        runtime.shutdown_background();
        until("it is trusted no more", || {
            telemetry.health().verdict("well_async") == Some(Verdict::Expired)
        });
        let body = probe(health, "/readyz").body;
        assert!(body.contains("\"reason\":\"stale\""), "{body}");
        for result in ["error", "timeout", "panic", "hung", "fatal"] {
            let series = format!(
                "inference_health_check_runs_total{{check=\"well_async\",result=\"{result}\"}}"
            );
            assert_eq!(value(&telemetry, &series), Some(0.0), "{result}");
        }
        stop(&telemetry);
    }

    pub fn a_flood_of_states_stops_nothing() {
        let (telemetry, _) = install(builder().checks([check!(store), check!(well)]));
        until("it has begun", || runs() >= 1);
        let enough = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !enough.load(Ordering::Acquire) {
                        telemetry.provide(Store { open: true });
                    }
                });
            }
            let before = runs();
            until("others are still run", || runs() >= before + 3);
            enough.store(true, Ordering::Release);
        });
        until("the last one has come", || {
            telemetry.health().verdict("store") == Some(Verdict::Up)
        });
        stop(&telemetry);
    }

    pub fn a_state_may_block_and_panic_when_it_is_dropped() {
        std::panic::set_hook(Box::new(|_| {}));
        let (telemetry, _) = install(builder().checks([check!(hoards), check!(well)]));
        telemetry.provide(Hoard);
        until("it is used", || {
            telemetry.health().verdict("hoards") == Some(Verdict::Up)
        });
        telemetry.provide(Hoard);
        until("it is dropped", || HELD.load(Ordering::Acquire) >= 1);
        let before = runs();
        until("others are still run", || runs() >= before + 5);
        GO_ON.store(true, Ordering::Release);
        stop(&telemetry);
    }

    pub fn a_state_may_come_late() {
        let (telemetry, health) = install(builder().checks([check!(store)]));
        assert_eq!(probe(health, "/readyz").status, 503);
        assert_eq!(telemetry.health().verdict("store"), Some(Verdict::Pending));
        telemetry.provide(Store { open: false });
        until("it has looked", || {
            probe(health, "/readyz").body.contains("store_closed")
        });
        telemetry.provide(Store { open: true });
        until("it looks again", || probe(health, "/readyz").status == 200);
        // the check stays a function
        assert_eq!(store(&Store { open: true }), Health::up());
        stop(&telemetry);
    }

    pub fn a_refresh_waits_for_a_result() {
        let (telemetry, health) = install(builder().checks([check!(seldom)]));
        until("it has run", || probe(health, "/readyz").status == 200);
        let runtime = runtime(1);
        assert!(runtime.block_on(telemetry.refresh("seldom")));
        assert_eq!(runs(), 2);
        assert!(!runtime.block_on(telemetry.refresh("unheard_of")));
        stop(&telemetry);
        assert!(!runtime.block_on(telemetry.refresh("seldom")));
    }

    pub fn a_sync_check_knows_that_it_is_overdue() {
        assert!(!instrument_inference::check_is_overdue());
        let (telemetry, _) = install(builder().checks([check!(looks_at_the_time)]));
        until("it has seen it", || !SEEN.lock().unwrap().is_empty());
        stop(&telemetry);
    }

    pub fn sync_checks_are_outside_of_every_runtime() {
        let runtime = runtime(1);
        let _inside = runtime.enter();
        let (telemetry, health) = install(builder().checks([check!(runs_outside)]));
        until("it is well", || probe(health, "/readyz").status == 200);
        assert!(OUTSIDE.load(Ordering::Acquire));
        stop(&telemetry);
    }

    pub fn a_starved_runtime_makes_no_failures() {
        let runtime = runtime(1);
        let (telemetry, health) = install(
            builder()
                .runtime(runtime.handle().clone())
                .checks([check!(yields_once)]),
        );
        until("it is well", || probe(health, "/readyz").status == 200);
        // work that leaves the worker four times in a second
        for _ in 0..12 {
            runtime.spawn(async {
                let end = Instant::now() + Duration::from_millis(250);
                while Instant::now() < end {}
            });
        }
        let failed = ["error", "timeout", "panic", "hung", "fatal"].map(|result| {
            format!(
                "inference_health_check_runs_total{{check=\"yields_once\",result=\"{result}\"}}"
            )
        });
        let until_idle = Instant::now() + Duration::from_millis(3_500);
        while Instant::now() < until_idle {
            assert_ne!(
                telemetry.health().verdict("yields_once"),
                Some(Verdict::Down)
            );
            std::thread::park_timeout(Duration::from_millis(20));
        }
        for series in failed {
            assert_eq!(value(&telemetry, &series), Some(0.0), "{series}");
        }
        stop(&telemetry);
    }
}
