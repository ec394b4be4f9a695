use instrument_inference::inference_request;

/// As axum has it.
struct MatchedPath(String);

#[inference_request(route = path)]
async fn predict(path: MatchedPath) -> String {
    path.0
}

fn main() {
    drop(predict(MatchedPath(String::new())));
}
