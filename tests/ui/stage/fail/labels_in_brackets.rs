use instrument_inference::inference_stage;

#[inference_stage("execute", labels[hit = true])]
fn execute() {}

fn main() {}
