use instrument_inference::inference_stage;

#[inference_stage("execute", buckets = Buckets::Fast)]
fn execute() {}

fn main() {}
