use instrument_inference::inference_stage;

#[inference_stage("execute", batch = texts)]
fn execute(texts: &[String]) -> usize {
    texts.len()
}

fn main() {}
