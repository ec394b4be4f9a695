use instrument_inference::inference_stage;

#[inference_stage("execute")]
const fn execute() {}

fn main() {}
