use instrument_inference::inference_stage;

#[inference_stage("execute", Device)]
fn execute() {}

fn main() {}
