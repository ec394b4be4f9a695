use instrument_inference::inference_request;

#[inference_request(custom, batch = texts)]
async fn predict(texts: &[String]) {}

fn main() {}
