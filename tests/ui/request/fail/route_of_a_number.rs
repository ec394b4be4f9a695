use instrument_inference::inference_request;

#[inference_request(route = port)]
async fn predict(port: u16) {}

fn main() {}
