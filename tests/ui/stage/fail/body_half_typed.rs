use instrument_inference::inference_stage;

#[inference_stage("execute")]
fn execute(values: &[f32]) -> usize {
    let n = values.
}

fn main() {}
