use instrument_inference::{Sequence, inference_stage};

#[inference_stage("execute", batch = running)]
fn execute(running: &[Sequence]) {}

fn main() {}
