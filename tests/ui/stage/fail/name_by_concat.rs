use instrument_inference::inference_stage;

#[inference_stage(concat!("exe", "cute"))]
fn execute() {}

fn main() {}
