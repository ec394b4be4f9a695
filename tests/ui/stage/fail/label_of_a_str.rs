use instrument_inference::inference_stage;

#[inference_stage("execute", labels(kind = kind))]
fn execute(kind: &str) {}

fn main() {}
