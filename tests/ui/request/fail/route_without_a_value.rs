use instrument_inference::inference_request;

#[inference_request(route)]
async fn predict() {}

fn main() {}
