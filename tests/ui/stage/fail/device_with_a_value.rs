use instrument_inference::inference_stage;

#[inference_stage("rerank", device = "cuda:0")]
fn execute() {}

fn main() {}
