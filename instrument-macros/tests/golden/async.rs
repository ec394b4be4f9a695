/// The step that runs on the device.
#[inference_stage("execute", device, buckets = fast, objective = "50ms")]
async fn execute(&self, batch: Batch) -> Result<Logits, ModelError> {
    self.model.forward(batch).await
}
