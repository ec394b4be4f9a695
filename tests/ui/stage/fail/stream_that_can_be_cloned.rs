use futures::Stream;
use instrument_inference::inference_stage;

#[inference_stage("decode", stream)]
fn decode(upto: u8) -> impl Stream<Item = u8> + Clone {
    futures::stream::iter(0..upto)
}

fn main() {}
