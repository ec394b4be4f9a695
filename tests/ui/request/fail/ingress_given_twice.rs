use instrument_inference::inference_request;

#[inference_request(ingress = "http", ingress = "grpc")]
async fn predict() {}

fn main() {}
