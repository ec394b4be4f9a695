use instrument_inference::inference_stage;

#[inference_stage("execute", buckets = ["5ms", 50ms, "soon"])]
fn execute() {}

fn main() {}
