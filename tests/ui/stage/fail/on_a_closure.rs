use instrument_inference::inference_stage;

fn main() {
    let answer = #[inference_stage("execute")]
    || 1;
    assert_eq!(answer(), 1);
}
