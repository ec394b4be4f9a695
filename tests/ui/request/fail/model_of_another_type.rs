use instrument_inference::inference_request;

#[inference_request(model = name)]
async fn predict(name: String) {}

fn main() {}
