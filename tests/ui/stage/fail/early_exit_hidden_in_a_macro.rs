use instrument_inference::inference_stage;

macro_rules! bail {
    ($text:literal) => {
        return Err($text)
    };
}

#[inference_stage("execute")]
#[track_caller]
fn execute(wrong: bool) -> Result<u8, &'static str> {
    if wrong {
        bail!("wrong");
    }
    Ok(1)
}

fn main() {}
