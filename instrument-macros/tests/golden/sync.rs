#[inference_stage("preprocess")]
pub fn preprocess(request: &Request, mut scratch: Vec<f32>, _limit: Limit) -> Result<Features, Error> {
    scratch.clear();
    tokenize(&request.text, scratch)
}
