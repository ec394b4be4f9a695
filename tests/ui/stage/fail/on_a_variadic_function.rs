use instrument_inference::inference_stage;

#[inference_stage("execute")]
unsafe extern "C" fn execute(count: u8, ...) {}

fn main() {}
