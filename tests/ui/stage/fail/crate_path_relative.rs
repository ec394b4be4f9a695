use instrument_inference::inference_stage;

#[inference_stage("execute", crate = telemetry::inference)]
fn execute() {}

fn main() {}
