use instrument_inference::health_check;

#[health_check(cache = "5")]
fn redis_up() {}

fn main() {}
