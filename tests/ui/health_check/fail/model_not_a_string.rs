use instrument_inference::health_check;

#[health_check(model = &slot)]
fn redis_up() {}

fn main() {}
