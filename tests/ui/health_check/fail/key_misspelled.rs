use instrument_inference::health_check;

#[health_check(timeot = "1s")]
fn redis_up() {}

fn main() {}
