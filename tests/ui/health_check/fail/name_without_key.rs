use instrument_inference::health_check;

#[health_check("redis")]
fn redis_up() {}

fn main() {}
