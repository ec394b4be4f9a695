use instrument_inference::health_check;

#[health_check]
fn ready() -> bool {
    let app = ;
    true
}

fn main() {}
