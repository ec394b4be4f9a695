use instrument_inference::inference_stage;

#[inference_stage("execute", buckets = "fast")]
fn execute() {}

fn main() {}
