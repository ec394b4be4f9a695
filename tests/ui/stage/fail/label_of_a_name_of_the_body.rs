use instrument_inference::inference_stage;

#[inference_stage("execute", labels(warm = warm))]
fn execute() -> bool {
    let warm = true;
    warm
}

fn main() {}
