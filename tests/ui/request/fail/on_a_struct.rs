use instrument_inference::inference_request;

#[inference_request]
pub struct Service;

fn main() {}
