use instrument_inference::inference_stage;

#[inference_stage("decode", stream)]
fn generate(tokens: &mut Vec<u32>) {
    tokens.push(1);
}

fn main() {}
