use instrument_inference::health_check;

#[health_check(cache = "5s", refresh = "5s")]
fn redis_up() {}

fn main() {}
