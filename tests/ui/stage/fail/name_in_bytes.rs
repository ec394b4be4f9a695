use instrument_inference::inference_stage;

#[inference_stage(b"execute")]
fn execute() {}

fn main() {}
