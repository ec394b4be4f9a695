use instrument_inference::inference_request;

#[inference_request(tier = tier)]
async fn predict(tier: u8) {}

fn main() {}
