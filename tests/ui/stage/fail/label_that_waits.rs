use instrument_inference::inference_stage;

async fn warm() -> bool {
    true
}

#[inference_stage("execute", labels(warm = warm().await))]
async fn execute() -> bool {
    warm().await
}

fn main() {}
