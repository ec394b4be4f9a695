use instrument_inference::health_check;

#[health_check(timeout = "0ms")]
fn redis_up() {}

fn main() {}
