use instrument_inference::inference_request;

#[inference_request(path = path)]
async fn predict(path: String) {}

fn main() {}
