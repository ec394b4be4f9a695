use instrument_inference::health_check;

#[health_check]
const fn ready() -> bool {
    true
}

fn main() {}
