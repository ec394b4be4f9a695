use instrument_inference::{inference_stage, Label};

#[inference_stage("execute", tenant = customer)]
fn execute(customer: &Label) {}

fn main() {}
