use instrument_inference::inference_stage;

#[inference_stage("execute", span)]
fn execute() {}

fn main() {}
