use instrument_inference::health_check;

#[health_check(model = "")]
fn redis_up() {}

fn main() {}
