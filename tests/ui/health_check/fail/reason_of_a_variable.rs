use instrument_inference::{Health, health_check, reason};

#[health_check]
fn ready() -> Health {
    let text = "redis_down";
    Health::down(reason!(text))
}

fn main() {}
