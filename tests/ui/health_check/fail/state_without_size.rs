use instrument_inference::health_check;

#[health_check]
fn ready(name: &str) -> bool {
    !name.is_empty()
}

fn main() {}
