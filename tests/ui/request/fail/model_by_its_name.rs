use instrument_inference::inference_request;

#[inference_request(model = "sentiment")]
async fn predict() {}

fn main() {}
