use instrument_inference::inference_stage;

struct Model {
    warm: bool,
}

impl Model {
    #[inference_stage("execute", labels(warm = self.warm))]
    fn execute() {}
}

fn main() {
    Model::execute();
    assert!(Model { warm: true }.warm);
}
