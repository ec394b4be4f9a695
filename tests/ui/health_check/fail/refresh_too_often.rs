use instrument_inference::health_check;

#[health_check(refresh = "10ms")]
fn redis_up() {}

fn main() {}
