use instrument_inference::inference_request;

#[inference_request(labels(tier = true))]
async fn predict() {}

fn main() {}
