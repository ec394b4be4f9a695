use instrument_inference::health_check;

#[health_check(failures = "2")]
fn redis_up() {}

fn main() {}
