use instrument_inference::inference_stage;

#[inference_stage("execute", labels(flags = flags))]
fn execute(flags: Vec<bool>) {}

fn main() {}
