use instrument_inference::inference_stage;

#[inference_stage("execute")]
pub enum Kind {
    Image,
}

fn main() {}
