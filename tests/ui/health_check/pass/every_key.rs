#![deny(warnings)]
use instrument_inference::{Health, check, health_check, reason};

struct App {
    warm: bool,
}

#[health_check(
    cache = "10s",
    timeout = "2s",
    group = ["readiness", "startup"],
    remote,
    hard,
    name = "redis",
    reason = "redis_down",
    model = "sentiment",
    refresh = "5s",
    confirm = "500ms",
    failures = 3,
    successes = 2,
    max_stale = "1m",
    initial_delay = "3s",
    crate = ::instrument_inference,
)]
async fn redis_up(app: &App) -> Result<Health, std::fmt::Error> {
    if app.warm {
        Ok(Health::up())
    } else {
        Ok(Health::degraded(reason!("cold")))
    }
}

#[health_check(soft)]
fn never_asked() {}

fn main() {
    assert!(format!("{:?}", check!(redis_up)).contains("\"redis\""));
}
