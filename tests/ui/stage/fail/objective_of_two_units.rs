use instrument_inference::inference_stage;

#[inference_stage("execute", objective = "1m30s")]
fn execute() {}

fn main() {}
