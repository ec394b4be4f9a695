use instrument_inference::inference_stage;

#[inference_stage("execute")]
fn main(_: u8) {}
