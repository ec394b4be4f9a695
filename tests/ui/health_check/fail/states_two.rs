use instrument_inference::health_check;

struct App;
struct Pool;

#[health_check]
fn ready(app: &App, pool: &Pool) -> bool {
    let _ = (app, pool);
    true
}

fn main() {}
