use instrument_inference::inference_stage;

#[inference_stage("preprocess", stall = "90s")]
fn execute() {}

fn main() {}
