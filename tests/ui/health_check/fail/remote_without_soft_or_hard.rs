use instrument_inference::health_check;

#[health_check(remote)]
fn redis_up() {}

fn main() {}
