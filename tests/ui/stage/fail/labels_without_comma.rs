use instrument_inference::inference_stage;

#[inference_stage("execute", labels(hit = true warm = true))]
fn execute() {}

fn main() {}
