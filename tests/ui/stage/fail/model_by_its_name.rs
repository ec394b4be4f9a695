use instrument_inference::inference_stage;

#[inference_stage("execute", model = "sentiment")]
fn execute() {}

fn main() {}
