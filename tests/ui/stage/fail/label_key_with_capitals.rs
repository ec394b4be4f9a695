use instrument_inference::inference_stage;

#[inference_stage("execute", labels(cacheHit = true))]
fn execute() {}

fn main() {}
