use instrument_inference::inference_stage;

struct Sse<S>(S);

#[inference_stage("decode", stream)]
fn generate(tokens: Vec<u32>) -> Sse<std::vec::IntoIter<u32>> {
    Sse(tokens.into_iter())
}

fn main() {}
