use instrument_inference::health_check;

struct Failed;

#[health_check]
fn ready() -> Result<(), Failed> {
    Err(Failed)
}

#[health_check]
async fn ready_async() -> Result<(), Failed> {
    Err(Failed)
}

fn main() {}
