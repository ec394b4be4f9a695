use instrument_inference::inference_stage;

#[inference_stage("execute")]
pub trait Model {
    fn execute(&self);
}

fn main() {}
