use instrument_inference::inference_stage;

#[inference_stage("execute", labels(share = share))]
fn execute(share: f64) {}

fn main() {}
