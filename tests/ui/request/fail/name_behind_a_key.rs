use instrument_inference::inference_request;

#[inference_request(name = "predict")]
async fn predict() {}

fn main() {}
