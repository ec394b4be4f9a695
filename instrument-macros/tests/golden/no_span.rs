#[inference_stage("decode", no_span)]
fn one_token(state: &mut State) -> Token {
    state.sample()
}
