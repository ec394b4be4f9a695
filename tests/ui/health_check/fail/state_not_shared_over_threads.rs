use instrument_inference::health_check;

use std::rc::Rc;

struct App {
    name: Rc<str>,
}

#[health_check]
fn ready(app: &App) -> bool {
    !app.name.is_empty()
}

#[health_check]
async fn ready_async(app: &App) -> bool {
    !app.name.is_empty()
}

fn main() {}
