use instrument_inference::inference_request;

#[inference_request("predict")]
async fn predict() {}

fn main() {}
