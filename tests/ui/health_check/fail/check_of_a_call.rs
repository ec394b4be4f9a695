use instrument_inference::{check, health_check};

#[health_check]
fn ready() {}

fn checks() {
    let _ = [check!(ready), check!(ready())];
}

fn main() {}
