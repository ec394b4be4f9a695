use instrument_inference::inference_stage;

fn classify(_: &str) {}

#[inference_stage("execute", error = classify)]
fn execute() {}

fn main() {}
