use instrument_inference::inference_stage;

unsafe extern "C" {
    #[inference_stage("execute")]
    fn execute();
}

fn main() {}
