use instrument_inference::inference_stage;

#[inference_stage("execute", threshold = 3)]
fn execute() {}

fn main() {}
