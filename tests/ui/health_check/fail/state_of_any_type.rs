use instrument_inference::health_check;

#[health_check]
fn ready(app: &impl Send) -> bool {
    let _ = app;
    true
}

fn main() {}
