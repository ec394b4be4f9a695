use instrument_inference::inference_stage;

#[inference_stage("execute", buckets = genral)]
fn execute() {}

fn main() {}
