use instrument_inference::health_check;

#[health_check(cache = "5s", cache = "6s")]
fn redis_up() {}

fn main() {}
