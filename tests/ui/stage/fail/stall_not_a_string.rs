use instrument_inference::inference_stage;

#[inference_stage("execute", stall = 90)]
fn execute() {}

fn main() {}
