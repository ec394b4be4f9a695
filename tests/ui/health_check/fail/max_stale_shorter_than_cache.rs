use instrument_inference::health_check;

#[health_check(max_stale = "5s")]
fn redis_up() {}

fn main() {}
