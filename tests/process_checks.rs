//! Annotated checks in a service: each is run, and its verdict follows from what its function has returned.
//!
//! One installation for each process, so one test.
#![cfg(feature = "health")]
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "nobody uses a test from outside"
)]

use instrument_inference::{
    Group, Health, HealthReport, HealthStatus, Telemetry, Verdict, check, health_check, reason,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Ten times what the test needs.
const PATIENCE: Duration = Duration::from_secs(60);

struct Pool {
    free: usize,
}

#[health_check]
fn says_nothing() {}

#[health_check(soft)]
fn says_false() -> bool {
    false
}

#[health_check(soft)]
async fn fails() -> Result<(), std::num::ParseIntError> {
    std::future::ready("one").await.parse::<u8>()?;
    Ok(())
}

#[health_check(name = "pool")]
fn pool_has_room(pool: &Pool) -> Health {
    if pool.free > 10 {
        Health::up()
    } else {
        Health::degraded(reason!("pool_nearly_full"))
    }
}

#[health_check(remote, soft)]
async fn pool_shared(pool: &Arc<Pool>) -> Result<Health, std::fmt::Error> {
    std::future::ready(()).await;
    if pool.free == 0 {
        return Ok(Health::fatal(reason!("pool_empty")));
    }
    Ok(Health::up())
}

#[health_check(group = "liveness", reason = "engine_broken", failures = 1)]
async fn engine() -> bool {
    std::future::ready(false).await
}

#[health_check(model = "sentiment")]
fn weights() -> Health {
    Health::down(reason!("weights_damaged"))
}

#[health_check(soft)]
fn left_out() {}

/// A check is called what it checks: the crate of that name is still found beside it.
mod called_as_a_crate {
    use instrument_inference::health_check;
    use tokio::runtime::Builder;

    #[health_check]
    pub(super) fn tokio() -> bool {
        tokio::runtime::Handle::try_current().is_err()
            && Builder::new_current_thread().build().is_ok()
    }
}

fn wait_for(telemetry: &Telemetry, what: impl Fn(&HealthReport) -> bool) -> HealthReport {
    let started = Instant::now();
    loop {
        let report = telemetry.health();
        if what(&report) {
            return report;
        }
        assert!(started.elapsed() < PATIENCE, "{}", report.json());
        std::thread::yield_now();
    }
}

#[test]
fn a_verdict_follows_from_what_the_function_returned() {
    let telemetry = Telemetry::builder("checked")
        .without_models()
        .checks([
            check!(says_nothing),
            check!(pool_has_room),
            check!(called_as_a_crate::tokio),
        ])
        .without_check("left_out")
        .expect_checks(["pool", "fails", "engine", "tokio"])
        .provide(Pool { free: 3 })
        .install()
        .expect("nothing is wrong with the checks");

    let known = [
        ("says_nothing", Verdict::Up),
        ("says_false", Verdict::Down),
        ("fails", Verdict::Down),
        ("pool", Verdict::Degraded),
        ("engine", Verdict::Down),
        ("weights", Verdict::Down),
        ("tokio", Verdict::Up),
    ];
    for (name, verdict) in known {
        wait_for(&telemetry, |report| report.verdict(name) == Some(verdict));
    }
    let report = telemetry.health();
    assert_eq!(report.verdict("pool_shared"), Some(Verdict::Pending));
    assert_eq!(report.verdict("left_out"), None);
    assert_eq!(report.verdict("pool_has_room"), None);

    telemetry.provide(Arc::new(Pool { free: 0 }));
    wait_for(&telemetry, |report| {
        report.verdict("pool_shared") == Some(Verdict::Down)
    });

    let report = wait_for(&telemetry, |report| {
        report.status(Group::Liveness) == HealthStatus::Unhealthy
    });
    assert_eq!(
        report.reason(Group::Liveness),
        Some(reason!("engine_broken"))
    );
    telemetry
        .shutdown_blocking(Duration::from_secs(5))
        .expect("nothing to flush");
}
