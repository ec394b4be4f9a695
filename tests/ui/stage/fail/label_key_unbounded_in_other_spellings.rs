use instrument_inference::inference_stage;

#[inference_stage("execute", labels(userId = true, UserID = true, request_ids = true, r#path = true, createdAt = true))]
fn execute() {}

fn main() {}
