use instrument_inference::inference_stage;

#[inference_stage("execute")]
fn execute() -> u8 {
    "text"
}

#[inference_stage("execute")]
async fn execute_later() -> u8 {
    let n: u8 = "text";
    n
}

fn main() {}
