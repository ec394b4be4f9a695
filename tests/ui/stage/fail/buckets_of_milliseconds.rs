use instrument_inference::inference_stage;

#[inference_stage("execute", buckets = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000])]
fn execute() {}

fn main() {}
