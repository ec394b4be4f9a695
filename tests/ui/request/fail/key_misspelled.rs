use instrument_inference::inference_request;

#[inference_request(ingres = "http")]
async fn predict() {}

fn main() {}
