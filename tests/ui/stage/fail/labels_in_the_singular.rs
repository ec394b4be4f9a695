use instrument_inference::inference_stage;

#[inference_stage("execute", label(hit = true))]
fn execute() {}

fn main() {}
