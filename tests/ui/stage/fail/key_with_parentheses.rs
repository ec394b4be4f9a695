use instrument_inference::inference_stage;

#[inference_stage("execute", objective("50ms"), buckets(0.1, 0.2))]
fn execute() {}

fn main() {}
