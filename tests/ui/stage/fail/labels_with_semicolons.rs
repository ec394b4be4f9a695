use instrument_inference::inference_stage;

#[inference_stage("execute", labels(hit = true; warm = maybe?))]
fn execute(maybe: Option<bool>) {}

fn main() {}
