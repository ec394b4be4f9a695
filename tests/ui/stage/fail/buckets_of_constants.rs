use instrument_inference::inference_stage;

#[inference_stage("execute", buckets = [f64::NAN, 0.1, f64::INFINITY])]
fn execute() {}

fn main() {}
