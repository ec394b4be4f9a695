use instrument_inference::inference_request;

#[inference_request(ingress = 1)]
async fn predict() {}

fn main() {}
