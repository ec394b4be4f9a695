use instrument_inference::inference_stage;

#[inference_stage("execute", buckets = 0.1)]
fn execute() {}

fn main() {}
