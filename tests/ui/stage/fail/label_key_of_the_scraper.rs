use instrument_inference::inference_stage;

#[inference_stage("execute", labels(pod = true, exported_kind = true))]
fn execute() {}

fn main() {}
