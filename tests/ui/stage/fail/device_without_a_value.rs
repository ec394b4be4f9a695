use instrument_inference::inference_stage;

#[inference_stage("rerank", device = )]
fn rerank() {}

#[inference_stage("embed", device(0))]
fn embed() {}

#[inference_stage("decode", device, device = 0)]
fn decode() {}

fn main() {}
