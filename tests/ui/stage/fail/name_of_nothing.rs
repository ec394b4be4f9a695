use instrument_inference::inference_stage;

#[inference_stage("")]
fn execute() {}

fn main() {}
