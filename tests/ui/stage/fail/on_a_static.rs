use instrument_inference::inference_stage;

#[inference_stage("execute")]
pub static LIMIT: u8 = 1;

#[inference_stage("execute")]
pub const MOST: u8 = 1;

fn main() {}
