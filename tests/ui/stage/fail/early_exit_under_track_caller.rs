use instrument_inference::inference_stage;

#[inference_stage("execute")]
#[track_caller]
fn execute(text: &str) -> Result<u8, std::num::ParseIntError> {
    Ok(text.parse::<u8>()?)
}

fn main() {}
