use instrument_inference::health_check;

#[health_check(group = [])]
fn redis_up() {}

fn main() {}
