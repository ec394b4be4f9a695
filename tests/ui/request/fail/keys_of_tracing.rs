use instrument_inference::inference_request;

#[inference_request(skip(text), err, fields(size = text.len()))]
async fn predict(text: String) {}

fn main() {}
