use instrument_inference::inference_stage;

trait Model {
    #[inference_stage("execute")]
    fn execute(&self);
}

fn main() {}
