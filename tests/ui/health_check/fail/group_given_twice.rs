use instrument_inference::health_check;

#[health_check(group = ["startup", "startup"])]
fn redis_up() {}

fn main() {}
