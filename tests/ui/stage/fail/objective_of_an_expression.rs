use instrument_inference::inference_stage;

#[inference_stage("execute", objective = std::time::Duration::from_millis(50))]
fn execute() {}

fn main() {}
