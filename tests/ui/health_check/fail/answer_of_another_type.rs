use instrument_inference::health_check;

#[health_check]
fn ready() -> Option<bool> {
    Some(true)
}

#[health_check]
async fn ready_async() -> u8 {
    1
}

#[health_check]
fn number() -> Result<u8, std::fmt::Error> {
    Ok(1)
}

fn main() {}
