use instrument_inference::inference_stage;

#[inference_stage("decode", batch = prompts.len(), stream)]
fn generate(prompts: &[u32]) -> Vec<u32> {
    prompts.to_vec()
}

fn main() {}
