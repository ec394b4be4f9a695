use instrument_inference::inference_stage;

#[inference_stage("execute", error = |_| ErrorType::Internal)]
fn execute() -> Result<(), String> {
    Ok(())
}

fn main() {}
