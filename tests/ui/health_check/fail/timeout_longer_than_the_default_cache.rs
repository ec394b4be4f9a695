use instrument_inference::health_check;

#[health_check(timeout = "5s")]
fn redis_up() {}

fn main() {}
