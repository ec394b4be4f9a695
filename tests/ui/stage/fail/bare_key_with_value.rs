use instrument_inference::inference_stage;

#[inference_stage("execute", custom = true)]
fn execute() {}

fn main() {}
