use instrument_inference::inference_request;

async fn tenant() -> bool {
    true
}

#[inference_request(tenant = tenant().await)]
async fn predict() -> bool {
    tenant().await
}

fn main() {}
