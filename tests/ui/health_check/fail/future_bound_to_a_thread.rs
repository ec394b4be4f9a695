use instrument_inference::health_check;

use std::rc::Rc;

#[health_check]
async fn ready() -> bool {
    let name = Rc::new(1);
    std::future::ready(()).await;
    *name == 1
}

fn main() {}
