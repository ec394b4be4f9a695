use instrument_inference::health_check;

#[health_check(failures = 0, successes = 0)]
fn redis_up() {}

fn main() {}
