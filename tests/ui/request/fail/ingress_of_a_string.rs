use instrument_inference::inference_request;

#[inference_request(ingress = protocol)]
async fn predict(protocol: String) {}

fn main() {}
