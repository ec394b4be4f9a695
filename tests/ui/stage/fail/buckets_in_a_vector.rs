use instrument_inference::inference_stage;

#[inference_stage("execute", buckets = vec![0.1, 0.2])]
fn execute() {}

fn main() {}
