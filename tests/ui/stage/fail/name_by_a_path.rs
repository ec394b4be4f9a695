use instrument_inference::inference_stage;

mod names {
    pub const EXECUTE: &str = "execute";
}

#[inference_stage(names::EXECUTE)]
fn execute() {}

fn main() {}
