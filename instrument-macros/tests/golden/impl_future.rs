#[inference_stage("execute")]
fn execute(&self, input: Input) -> impl Future<Output = Result<Logits, Error>> + Send {
    let queue = self.queue.clone();
    async move { queue.run(input).await }
}
