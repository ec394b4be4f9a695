use instrument_inference::inference_stage;

#[inference_stage("execute", skip_all, err, ret, level = "info", target = "model", fields(warm = warm))]
fn execute(warm: bool) {}

fn main() {}
