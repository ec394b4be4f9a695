use instrument_inference::inference_stage;

#[inference_stage("Execute", custom)]
fn execute() {}

fn main() {}
