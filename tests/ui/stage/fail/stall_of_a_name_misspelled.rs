use instrument_inference::inference_stage;

#[inference_stage("exeucte", stall = "90s")]
fn execute() {}

fn main() {}
