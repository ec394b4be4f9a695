use instrument_inference::inference_request;

#[inference_request(tenant = customer)]
async fn predict(customer: String) {}

fn main() {}
