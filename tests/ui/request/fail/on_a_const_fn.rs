use instrument_inference::inference_request;

#[inference_request]
const fn predict() {}

fn main() {}
