use instrument_inference::health_check;

#[health_check(cache = "1s", timeout = "2s")]
fn redis_up() {}

fn main() {}
