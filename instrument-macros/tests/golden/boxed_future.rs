#[inference_stage("execute")]
fn execute<'a>(&'a self, mut input: Input) -> Pin<Box<dyn Future<Output = Result<Logits, Error>> + Send + 'a>> {
    input.pad();
    Box::pin(async move { self.queue.run(input).await })
}
