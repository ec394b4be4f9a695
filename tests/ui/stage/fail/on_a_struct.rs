use instrument_inference::inference_stage;

#[inference_stage("execute")]
struct Model;

fn main() {}
