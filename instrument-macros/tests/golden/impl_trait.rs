#[inference_stage("decode")]
fn decode<'a>(tokens: &'a [u32]) -> Result<impl Iterator<Item = String> + 'a, Error> {
    Ok(tokens.iter().map(render))
}
