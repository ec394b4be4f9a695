use instrument_inference::inference_stage;

#[inference_stage("execute", labels(a_key_that_has_thirty_three_chars = true))]
fn execute() {}

fn main() {}
