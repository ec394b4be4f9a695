use instrument_inference::inference_request;

#[inference_request]
#[inference_request(root)]
async fn predict() {}

fn main() {}
