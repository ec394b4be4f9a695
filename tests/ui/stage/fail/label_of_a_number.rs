use instrument_inference::inference_stage;

#[inference_stage("execute", labels(size = size))]
async fn execute(size: u64) {}

fn main() {}
