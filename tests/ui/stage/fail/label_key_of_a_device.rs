use instrument_inference::inference_stage;

#[inference_stage("execute", labels(device = "0"))]
fn execute() {}

fn main() {}
