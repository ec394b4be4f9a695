use instrument_inference::inference_stage;

#[inference_stage("execute", buckets = EDGES)]
fn execute() {}

fn main() {}
