use instrument_inference::health_check;

#[health_check(group = "readyness")]
fn redis_up() {}

fn main() {}
