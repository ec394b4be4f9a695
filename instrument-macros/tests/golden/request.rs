#[inference_request(ingress = "http", tier = user.tier, route = path.as_str(), model = app.slot, labels(cached = flag))]
async fn predict(State(app): State<App>, user: User, path: MatchedPath, Json(request): Json<Predict>) -> Result<Json<Answer>, AppError> {
    app.answer(user, request).await
}

#[inference_request(root, error = classify)]
fn serve(message: Message) -> Result<Answer, Failure> {
    answer(message)
}
