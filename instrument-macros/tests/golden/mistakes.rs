#[inference_stage("exeucte", lables(kind = kind), objective = "50")]
fn execute(batch: &Batch) -> Logits {
    forward(batch)
}

#[inference_request]
const fn serve() {}
