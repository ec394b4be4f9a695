//! Attributes of other crates above and below.

use instrument_inference::inference_stage;

#[inference_stage("execute")]
#[tokio::test]
async fn tokio_test_below() {
    pause_in_tokio().await;
}

#[tokio::test]
#[inference_stage("execute")]
async fn tokio_test_above() {
    pause_in_tokio().await;
}

#[inference_stage("execute")]
#[test]
fn test_below() {}

#[test]
#[inference_stage("execute")]
fn test_above() -> Result<(), String> {
    Ok(())
}

async fn pause_in_tokio() {
    tokio::task::yield_now().await;
}
