use std::collections::HashMap;

use instrument_inference::inference_request;

#[inference_request(tenant = headers["x-tenant"])]
async fn predict(headers: HashMap<String, String>) {}

fn main() {}
