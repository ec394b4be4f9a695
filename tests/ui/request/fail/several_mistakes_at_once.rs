use instrument_inference::inference_request;

#[inference_request("predict", ingres = "http", root = 1, objective = 3, labels(user_id = true))]
const fn predict() {}

fn main() {}
