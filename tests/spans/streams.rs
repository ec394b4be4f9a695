//! A stream is inside of the span of its stage or request in every poll, wherever it is polled, and ends it.

use crate::tree::Tree;
use futures::stream::{self, BoxStream};
use futures::{FutureExt, Stream, StreamExt};
use instrument_inference::testing::Rig;
use instrument_inference::{inference_request, inference_stage};

#[inference_stage("postprocess")]
fn render(n: u8) -> u8 {
    n
}

#[inference_stage("decode", stream)]
fn decode(upto: u8) -> impl Stream<Item = u8> + Send + Unpin {
    stream::iter(0..upto).map(render)
}

#[inference_stage("preprocess")]
fn preprocess() {}

#[inference_request(stream)]
async fn answer(upto: u8) -> BoxStream<'static, u8> {
    preprocess();
    let tokens = decode(upto);
    // between two polls nothing is inside
    preprocess();
    tokens.boxed()
}

fn answered(upto: u8) -> BoxStream<'static, u8> {
    answer(upto).now_or_never().expect("nothing to wait for")
}

#[test]
fn what_a_stream_does_is_inside_of_its_span() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let tree = Tree::of(|| {
        let tokens: Vec<u8> = answered(2).collect().now_or_never().expect("all is there");
        assert_eq!(tokens, [0, 1]);
        preprocess();
    });
    assert_eq!(
        tree.shown(),
        "answer ok\n  preprocess ok\n  decode ok\n    postprocess ok\n    postprocess ok\n  preprocess ok\npreprocess ok\n"
    );
    assert!(tree.is_settled());
}

#[test]
fn a_stream_that_is_dropped_elsewhere_ends_its_span_there() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let tree = Tree::of(|| {
        let mut tokens = answered(2);
        assert_eq!(tokens.next().now_or_never(), Some(Some(0)));
        // as with a subscriber of the whole process
        let subscriber = tracing::dispatcher::get_default(Clone::clone);
        let beside = std::thread::spawn(move || {
            tracing::dispatcher::with_default(&subscriber, || drop(tokens));
        });
        beside.join().expect("it is dropped");
    });
    let shown = tree.shown();
    assert!(shown.starts_with("answer cancelled\n"), "{shown}");
    assert!(shown.contains("  decode cancelled\n"), "{shown}");
    assert!(tree.is_settled(), "{shown}");
}
