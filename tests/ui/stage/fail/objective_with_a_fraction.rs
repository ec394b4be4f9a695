use instrument_inference::inference_stage;

#[inference_stage("execute", objective = "0.5s")]
fn execute() {}

fn main() {}
