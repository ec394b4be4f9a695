#[inference_stage("decode", stream)]
fn generate(&self, prompt: Prompt) -> impl Stream<Item = Result<Token, Error>> {
    self.engine.run(prompt)
}

#[inference_request(stream)]
async fn answer(prompt: Prompt) -> Result<BoxStream<'static, Token>, Error> {
    let engine = engine().await?;
    Ok(engine.run(prompt).boxed())
}

#[inference_stage("decode", stream)]
fn boxed_future<'a>(&'a self) -> BoxFuture<'a, Result<Response<BoxStream<'a, Token>>, Status>> {
    Box::pin(async move { self.run().await })
}
