use instrument_inference::inference_stage;

#[inference_stage("execute", "objective" = "50ms")]
fn execute() {}

fn main() {}
