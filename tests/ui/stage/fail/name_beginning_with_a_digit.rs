use instrument_inference::inference_stage;

#[inference_stage("2nd_pass")]
fn execute() {}

fn main() {}
