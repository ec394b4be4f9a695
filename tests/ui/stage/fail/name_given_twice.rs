use instrument_inference::inference_stage;

#[inference_stage("execute", "prefill")]
fn execute() {}

fn main() {}
