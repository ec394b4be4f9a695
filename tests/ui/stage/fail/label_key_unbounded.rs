use instrument_inference::inference_stage;

#[inference_stage("execute", labels(request_id = true, requestId = true, prompt = true, url = true))]
fn execute() {}

fn main() {}
