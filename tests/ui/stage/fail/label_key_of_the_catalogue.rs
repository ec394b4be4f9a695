use instrument_inference::inference_stage;

#[inference_stage("execute", labels(stage = true, model = true, le = true))]
fn execute() {}

fn main() {}
