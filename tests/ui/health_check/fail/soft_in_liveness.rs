use instrument_inference::health_check;

#[health_check(group = "liveness", soft)]
fn redis_up() {}

fn main() {}
