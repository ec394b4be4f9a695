use instrument_inference::inference_stage;

struct Cuda(usize);

#[inference_stage("rerank", device = gpu)]
fn rerank(gpu: &Cuda) -> usize {
    gpu.0
}

#[inference_stage("embed", device = 0.5)]
fn embed() {}

fn main() {
    rerank(&Cuda(0));
    embed();
}
