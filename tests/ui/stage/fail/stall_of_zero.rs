use instrument_inference::inference_stage;

#[inference_stage("execute", stall = "0s")]
fn execute() {}

fn main() {}
