use instrument_inference::inference_stage;

#[inference_stage(name = "execute")]
fn execute() {}

fn main() {}
