use instrument_inference::inference_stage;

const NAME: &str = "execute";

#[inference_stage(NAME)]
fn execute() {}

// Used elsewhere too.
const _: &str = NAME;

fn main() {}
