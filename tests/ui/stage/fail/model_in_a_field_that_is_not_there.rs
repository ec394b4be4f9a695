use instrument_inference::inference_stage;

struct Model;

impl Model {
    #[inference_stage("execute", model = &self.slot)]
    fn execute(&self) {}
}

fn main() {
    Model.execute();
}
