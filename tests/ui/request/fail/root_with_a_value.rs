use instrument_inference::inference_request;

#[inference_request(root = true)]
async fn predict() {}

fn main() {}
