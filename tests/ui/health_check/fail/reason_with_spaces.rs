use instrument_inference::health_check;

#[health_check(reason = "redis is down")]
fn redis_up() {}

fn main() {}
