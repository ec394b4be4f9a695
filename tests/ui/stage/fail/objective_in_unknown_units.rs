use instrument_inference::inference_stage;

#[inference_stage("execute", objective = "5 parsecs")]
fn execute() {}

fn main() {}
