use instrument_inference::{Health, health_check, reason};

#[health_check]
fn ready() -> Health {
    Health::down(reason!("Bad"))
}

fn main() {}
