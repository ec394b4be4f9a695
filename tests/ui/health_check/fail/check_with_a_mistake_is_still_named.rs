use instrument_inference::{check, health_check};

#[health_check(cache = "5")]
fn ready() -> bool {
    true
}

fn checks() {
    check!(ready);
}

fn main() {}
