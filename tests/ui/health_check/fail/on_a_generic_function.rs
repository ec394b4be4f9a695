use instrument_inference::health_check;

#[health_check]
fn ready<T: Default>() -> bool {
    let _ = T::default();
    true
}

fn main() {}
