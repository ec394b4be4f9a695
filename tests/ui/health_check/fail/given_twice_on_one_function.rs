use instrument_inference::health_check;

#[health_check]
#[health_check(group = "liveness", name = "alive")]
fn ready() -> bool {
    true
}

fn main() {}
