use instrument_inference::inference_stage;

#[inference_stage("execute" device)]
fn execute() {}

fn main() {}
