use instrument_inference::inference_stage;

#[inference_stage("execute", error = classify())]
fn execute() -> Result<(), String> {
    Ok(())
}

fn main() {}
