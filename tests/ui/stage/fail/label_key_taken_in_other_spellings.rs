use instrument_inference::inference_stage;

#[inference_stage("execute", labels(Pod = true, errorType = true))]
fn execute() {}

fn main() {}
