#[inference_stage("execute", batch = batch, model = &self.slot)]
fn execute(&self, batch: &Batch<Features, Answer>) -> Vec<Result<Logits, ModelError>> {
    self.weights.forward(batch.inputs())
}

#[inference_stage("execute", batch = inputs)]
async fn execute_later(inputs: Vec<Queued<Features>>) -> Result<Vec<Logits>, ModelError> {
    forward(inputs).await
}
