use instrument_inference::health_check;

#[health_check(soft, hard)]
fn redis_up() {}

fn main() {}
