use instrument_inference::inference_stage;

#[inference_stage("execute", histogram = "execute_seconds", counter, unit = "s", slo = "50ms", tags(warm = warm))]
fn execute(warm: bool) {}

fn main() {}
