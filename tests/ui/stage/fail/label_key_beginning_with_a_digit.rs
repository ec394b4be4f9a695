use instrument_inference::inference_stage;

#[inference_stage("execute", labels(2nd = true))]
fn execute() {}

fn main() {}
