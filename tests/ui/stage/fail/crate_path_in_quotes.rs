use instrument_inference::inference_stage;

#[inference_stage("execute", crate = "instrument_inference")]
fn execute() {}

fn main() {}
