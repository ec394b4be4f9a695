use instrument_inference::health_check;

#[health_check(crate = telemetry)]
fn redis_up() {}

fn main() {}
