use instrument_inference::inference_stage;

#[inference_stage("execute", labels(hit = true, hit = false))]
fn execute() {}

fn main() {}
