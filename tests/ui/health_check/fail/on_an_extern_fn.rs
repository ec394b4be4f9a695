use instrument_inference::health_check;

#[health_check]
extern "C" fn ready() -> bool {
    true
}

fn main() {}
