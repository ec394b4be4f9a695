use instrument_inference::inference_stage;

#[inference_stage("execute")]
unsafe extern "C" {
    fn execute();
}

fn main() {}
