use instrument_inference::inference_stage;

#[inference_stage("execute", model = name)]
fn execute(name: &str) {}

fn main() {}
