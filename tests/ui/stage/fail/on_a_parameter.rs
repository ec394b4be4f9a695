use instrument_inference::inference_stage;

pub fn execute(#[inference_stage("execute")] _: u8) {}

fn main() {}
