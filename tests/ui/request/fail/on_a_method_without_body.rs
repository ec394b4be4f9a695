use instrument_inference::inference_request;

pub trait Service {
    #[inference_request]
    async fn predict(&self);
}

fn main() {}
