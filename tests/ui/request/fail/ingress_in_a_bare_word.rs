use instrument_inference::inference_request;

#[inference_request(http)]
async fn predict() {}

fn main() {}
