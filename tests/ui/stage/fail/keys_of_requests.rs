use instrument_inference::inference_stage;

#[inference_stage("execute", ingress = "http", tier = tier, root, timeout = "2s", version = "1")]
fn execute(tier: bool) {}

fn main() {}
