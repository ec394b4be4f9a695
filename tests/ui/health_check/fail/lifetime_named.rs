use instrument_inference::health_check;

struct App;

#[health_check]
fn ready<'a>(app: &'a App) -> bool {
    let _ = app;
    true
}

fn main() {}
