use instrument_inference::inference_stage;

#[inference_stage("execute", labels())]
fn execute() {}

fn main() {}
