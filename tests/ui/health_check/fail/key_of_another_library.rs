use instrument_inference::health_check;

#[health_check(interval = "1s", critical)]
fn redis_up() {}

fn main() {}
