use instrument_inference::inference_stage;

#[inference_stage = "execute"]
fn execute() {}

fn main() {}
