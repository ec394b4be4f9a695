use instrument_inference::inference_stage;

#[inference_stage("exeucte")]
fn execute() {}

fn main() {}
