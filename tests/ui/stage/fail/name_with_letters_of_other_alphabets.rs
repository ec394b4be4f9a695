use instrument_inference::inference_stage;

#[inference_stage("größe")]
fn execute() {}

fn main() {}
