use instrument_inference::health_check;

#[health_check]
unsafe fn ready() -> bool {
    true
}

fn main() {}
