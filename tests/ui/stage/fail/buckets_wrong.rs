use instrument_inference::inference_stage;

#[inference_stage("execute", buckets = [0.5, 0.1, -1.0, 0, 0.5, 0.5, 1e999, "1"])]
fn execute() {}

fn main() {}
