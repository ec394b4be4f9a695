use instrument_inference::inference_stage;

#[inference_stage("execute", labels(hit = hit.))]
fn execute(hit: bool) {}

fn main() {}
