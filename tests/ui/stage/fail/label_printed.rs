use instrument_inference::inference_stage;

#[inference_stage("execute", labels(hit = %hit, ?warm))]
fn execute(hit: bool, warm: bool) {}

fn main() {}
