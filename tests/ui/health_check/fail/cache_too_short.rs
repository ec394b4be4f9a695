use instrument_inference::health_check;

#[health_check(cache = "100ms")]
fn redis_up() {}

fn main() {}
