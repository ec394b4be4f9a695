use instrument_inference::inference_stage;

#[inference_stage("execute", labels(grade = 'a'))]
fn execute() {}

fn main() {}
