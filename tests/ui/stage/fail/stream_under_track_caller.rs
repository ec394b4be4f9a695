use futures::Stream;
use instrument_inference::inference_stage;

#[track_caller]
#[inference_stage("decode", stream)]
fn generate() -> impl Stream<Item = u32> {
    futures::stream::empty()
}

fn main() {}
