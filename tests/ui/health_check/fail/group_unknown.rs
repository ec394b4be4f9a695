use instrument_inference::health_check;

#[health_check(group = "gpu")]
fn redis_up() {}

fn main() {}
