use instrument_inference::health_check;

#[allow(non_snake_case)]
#[health_check]
fn RedisUp() {}

fn main() {}
