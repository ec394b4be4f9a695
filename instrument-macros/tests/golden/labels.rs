#[inference_stage("postprocess", labels(kind = request.kind, source = "cache"), model = &self.slot)]
async fn postprocess(&self, request: Request) -> Answer {
    render(request).await
}
