use instrument_inference::inference_stage;

#[inference_stage("execute", objective = "50ms", objective = "60ms")]
fn execute() {}

fn main() {}
