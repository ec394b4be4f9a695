#[inference_stage("execute", crate = crate::telemetry, labels(kind = request.kind, cache = "hit"), buckets = [0.5], error = kind)]
async fn execute(request: Request) -> Result<Logits, Error> {
    run(request).await
}

#[inference_request(crate = ::renamed, model = slot)]
fn serve(request: Request) -> (StatusCode, Answer) {
    answer(request)
}

#[health_check(crate = crate::telemetry, cache = "1s", group = "liveness")]
async fn disk(app: &App) -> Health {
    app.disk.health().await
}
