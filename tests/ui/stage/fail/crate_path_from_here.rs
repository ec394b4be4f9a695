use instrument_inference::inference_stage;

#[inference_stage("execute", crate = self::telemetry)]
fn execute() {}

fn main() {}
