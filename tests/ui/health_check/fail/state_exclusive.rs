use instrument_inference::health_check;

struct App;

#[health_check]
fn ready(app: &mut App) -> bool {
    let _ = app;
    true
}

fn main() {}
