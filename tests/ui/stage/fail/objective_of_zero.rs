use instrument_inference::inference_stage;

#[inference_stage("execute", objective = "0ms")]
fn execute() {}

fn main() {}
