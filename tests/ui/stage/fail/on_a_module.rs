use instrument_inference::inference_stage;

#[inference_stage("execute")]
mod execute {}

fn main() {}
