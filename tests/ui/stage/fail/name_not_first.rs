use instrument_inference::inference_stage;

#[inference_stage(device, "execute")]
fn execute() {}

fn main() {}
