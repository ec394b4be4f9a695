use instrument_inference::health_check;

struct App;

#[health_check]
fn ready(app: App) -> bool {
    let _ = app;
    true
}

fn main() {}
