use instrument_inference::inference_request;

#[inference_request(ingress = "htpp")]
async fn predict() {}

fn main() {}
