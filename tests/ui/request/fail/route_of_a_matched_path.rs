use axum::extract::MatchedPath;
use instrument_inference::inference_request;

#[inference_request(route = path)]
async fn predict(path: MatchedPath) {}

fn main() {}
