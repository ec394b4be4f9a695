use instrument_inference::inference_stage;

#[inference_stage("execute", ok_if = is_ok, track_concurrency, objective = 0.95)]
fn execute() {}

fn main() {}
