use instrument_inference::health_check;

#[health_check]
fn ready() -> impl Future<Output = bool> {
    async { true }
}

fn main() {}
