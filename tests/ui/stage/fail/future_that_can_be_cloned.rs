use instrument_inference::inference_stage;

#[inference_stage("execute")]
fn execute() -> impl Future<Output = u8> + Clone + Send {
    std::future::ready(1)
}

fn main() {}
