use instrument_inference::{inference_request, Label};

#[inference_request(labels(tenant = customer))]
async fn predict(customer: Label) {}

fn main() {}
