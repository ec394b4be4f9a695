use instrument_inference::health_check;

#[health_check(group = ["startup", "liveness"], remote, hard)]
fn redis_up() {}

fn main() {}
