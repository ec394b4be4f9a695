use instrument_inference::inference_request;

#[inference_request(timeout = "2s", protocol = "http")]
async fn predict() {}

fn main() {}
