use instrument_inference::inference_request;

#[inference_request(span)]
fn predict() {}

fn main() {}
