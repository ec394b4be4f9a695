use instrument_inference::inference_stage;

struct Model;

#[inference_stage("execute")]
impl Model {
    fn execute(&self) {}
}

fn main() {}
