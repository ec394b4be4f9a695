use instrument_inference::inference_stage;

#[inference_stage("execute", labels(size = size as u32))]
fn execute(size: usize) {}

fn main() {}
