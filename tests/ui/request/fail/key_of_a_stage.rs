use instrument_inference::inference_request;

#[inference_request(device)]
async fn predict() {}

fn main() {}
