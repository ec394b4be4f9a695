#[inference_stage("execute", stall = "90s")]
fn execute(model: &Model, batch: Tensor) -> Tensor {
    model.run(batch)
}

#[inference_stage("diffuse", device, stall = "5m")]
fn diffuse(model: &Model, noise: Tensor) -> Tensor {
    model.run(noise)
}
