use instrument_inference::inference_stage;

#[inference_stage("execute", labels(attempt = 3))]
fn execute() {}

fn main() {}
