use instrument_inference::inference_request;

#[inference_request(stall = "90s")]
fn handle() {}

fn main() {}
