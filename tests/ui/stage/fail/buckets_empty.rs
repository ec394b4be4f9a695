use instrument_inference::inference_stage;

#[inference_stage("execute", buckets = [])]
fn execute() {}

fn main() {}
