use instrument_inference::{ModelSlot, inference_stage};

#[inference_stage("execute", model = slot)]
fn execute(slot: Option<ModelSlot>) {}

fn main() {}
