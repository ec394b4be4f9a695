use instrument_inference::inference_request;

#[inference_request(ingress = http)]
async fn predict() {}

fn main() {}
