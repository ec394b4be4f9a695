use instrument_inference::inference_stage;

fn classify(_: &String) -> &'static str {
    "internal"
}

#[inference_stage("execute", error = classify)]
async fn execute() -> Result<(), String> {
    Ok(())
}

fn main() {}
