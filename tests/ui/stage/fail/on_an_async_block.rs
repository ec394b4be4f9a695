use instrument_inference::inference_stage;

fn main() {
    drop(
        #[inference_stage("execute")]
        async { 1 },
    );
}
