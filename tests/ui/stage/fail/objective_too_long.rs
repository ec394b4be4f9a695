use instrument_inference::inference_stage;

#[inference_stage("execute", objective = "99999999999h")]
fn execute() {}

fn main() {}
