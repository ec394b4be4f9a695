use instrument_inference::inference_stage;

#[inference_stage("execute"; device; objective = "50")]
fn execute() {}

fn main() {}
