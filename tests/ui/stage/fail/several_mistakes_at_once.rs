use instrument_inference::inference_stage;

#[inference_stage("exeucte", lables(hit = true), objective = "50", labels(pod = true))]
const fn execute() {}

fn main() {}
