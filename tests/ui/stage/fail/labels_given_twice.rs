use instrument_inference::inference_stage;

#[inference_stage("execute", labels(hit = true), labels(warm = true))]
fn execute() {}

fn main() {}
