use instrument_inference::health_check;

#[health_check]
fn ready() -> ! {
    loop {}
}

fn main() {}
