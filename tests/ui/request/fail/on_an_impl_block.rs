use instrument_inference::inference_request;

struct Service;

#[inference_request]
impl Service {
    fn predict(&self) {}
}

fn main() {}
