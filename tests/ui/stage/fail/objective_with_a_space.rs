use instrument_inference::inference_stage;

#[inference_stage("execute", objective = "50 ms")]
fn execute() {}

fn main() {}
