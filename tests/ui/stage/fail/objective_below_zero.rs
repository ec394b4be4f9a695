use instrument_inference::inference_stage;

#[inference_stage("execute", objective = "-5ms")]
fn execute() {}

fn main() {}
