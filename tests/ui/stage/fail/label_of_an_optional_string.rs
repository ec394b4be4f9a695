use instrument_inference::inference_stage;

#[inference_stage("execute", labels(language = language))]
fn execute(language: Option<String>) {}

fn main() {}
