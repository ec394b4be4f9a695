use instrument_inference::inference_stage;

#[inference_stage("execute", lables(hit = true))]
fn execute() -> u8 {
    "text"
}

fn main() {}
