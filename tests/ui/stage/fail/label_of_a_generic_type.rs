use instrument_inference::inference_stage;

#[inference_stage("execute", labels(kind = kind))]
fn execute<T>(kind: T) {}

fn main() {}
