use instrument_inference::health_check;

#[health_check(name = "Redis Up")]
fn redis_up() {}

fn main() {}
