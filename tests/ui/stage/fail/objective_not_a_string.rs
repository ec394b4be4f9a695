use instrument_inference::inference_stage;

#[inference_stage("execute", objective = 50)]
fn execute() {}

fn main() {}
