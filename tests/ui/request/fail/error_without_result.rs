use instrument_inference::inference_request;

fn classify(_: &str) {}

#[inference_request(error = classify)]
async fn predict() -> [u8; 2] {
    [0, 0]
}

fn main() {}
