use instrument_inference::inference_stage;

#[inference_stage("top-k")]
fn execute() {}

fn main() {}
