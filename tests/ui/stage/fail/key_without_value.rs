use instrument_inference::inference_stage;

#[inference_stage("execute", objective)]
fn execute() {}

fn main() {}
