use instrument_inference::inference_stage;

fn main() {
    #[inference_stage("execute")]
    let answer = 1;
    assert_eq!(answer, 1);
}
