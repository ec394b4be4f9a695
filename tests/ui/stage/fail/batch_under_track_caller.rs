use instrument_inference::inference_stage;

#[inference_stage("execute", batch = size)]
#[track_caller]
fn execute(size: usize) {}

fn main() {}
