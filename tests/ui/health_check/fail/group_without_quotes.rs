use instrument_inference::health_check;

#[health_check(group = readiness)]
fn redis_up() {}

fn main() {}
