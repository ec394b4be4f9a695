use instrument_inference::health_check;

#[health_check(cache = "99999999999h")]
fn redis_up() {}

fn main() {}
