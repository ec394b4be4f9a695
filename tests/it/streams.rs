//! With `stream`, what was begun ends with the stream: at its end, with the error it stopped at, or where it was dropped.

use crate::support::{counts, requests, shown, stages};
use futures::stream::{self, BoxStream, FusedStream, LocalBoxStream};
use futures::{FutureExt, Stream, StreamExt};
use instrument_inference::testing::Rig;
use instrument_inference::{ErrorType, RequestContext, inference_request, inference_stage};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

type Item = Result<u8, std::io::Error>;

fn failure() -> std::io::Error {
    std::io::ErrorKind::TimedOut.into()
}

fn three() -> impl Stream<Item = u8> + Send + Unpin + 'static {
    stream::iter([1, 2, 3])
}

fn all<S: Stream>(stream: S) -> Vec<S::Item> {
    futures::executor::block_on(stream.collect())
}

/// What ended since the rig was made.
fn ended(rig: &Rig) -> String {
    shown(&stages(rig))
}

fn in_flight(rig: &Rig) -> u64 {
    counts(rig, "inference_stage_in_flight", &["stage"])
        .values()
        .sum()
}

mod shapes {
    use super::*;

    #[inference_stage("decode", stream)]
    pub fn hidden(upto: u8) -> impl Stream<Item = u8> {
        stream::iter(0..upto)
    }

    #[inference_stage("decode", stream)]
    pub fn borrowing<'a>(
        values: &'a mut Vec<u8>,
        more: &str,
    ) -> impl Stream<Item = &'a u8> + use<'a> {
        values.push(more.len() as u8);
        stream::iter(values.iter())
    }

    #[inference_stage("decode", stream)]
    pub fn without_item() -> impl FusedStream<Item = u8> + Unpin {
        three().fuse()
    }

    #[inference_stage("decode", stream)]
    pub fn boxed(fast: bool) -> BoxStream<'static, u8> {
        if fast {
            return three().boxed();
        }
        Box::pin(three().take(1))
    }

    #[inference_stage("decode", stream)]
    pub fn boxed_local(values: &[u8]) -> LocalBoxStream<'_, &u8> {
        stream::iter(values).boxed_local()
    }

    #[inference_stage("decode", stream)]
    pub fn spelled<'a>(
        values: &'a [u8],
    ) -> ::std::pin::Pin<::std::boxed::Box<dyn Stream<Item = Result<&'a u8, String>> + Send + 'a>>
    {
        stream::iter(values.iter().map(Ok)).boxed()
    }

    #[inference_stage("decode", stream)]
    pub fn unpinned() -> Box<dyn Stream<Item = u8> + Send + Unpin> {
        Box::new(three())
    }

    #[inference_stage("decode", stream)]
    pub fn fallible(text: &str) -> Result<impl Stream<Item = u8> + use<>, std::num::ParseIntError> {
        let upto: u8 = text.parse()?;
        Ok(stream::iter(0..upto))
    }

    #[inference_stage("decode", stream)]
    pub fn optional(there: bool) -> Option<BoxStream<'static, u8>> {
        there.then(|| three().boxed())
    }

    #[inference_stage("decode", stream)]
    pub async fn asynchronous(upto: &u8) -> impl Stream<Item = u8> + use<> {
        tokio::task::yield_now().await;
        stream::iter(0..*upto)
    }

    #[inference_stage("decode", stream)]
    pub async fn handler(
        there: bool,
    ) -> Result<tonic::Response<BoxStream<'static, Result<u8, tonic::Status>>>, tonic::Status> {
        tokio::task::yield_now().await;
        if !there {
            return Err(tonic::Status::not_found("nothing there"));
        }
        Ok(tonic::Response::new(three().map(Ok).boxed()))
    }

    #[inference_stage("decode", stream)]
    pub fn returned_future(
        upto: u8,
    ) -> impl Future<Output = Result<impl Stream<Item = u8> + Send, String>> + Send {
        let upto = upto + 1;
        async move {
            if upto == 1 {
                return Err("nothing".to_owned());
            }
            Ok(stream::iter(0..upto))
        }
    }

    #[inference_stage("decode", stream)]
    pub fn boxed_future<'a>(
        upto: &'a u8,
    ) -> Pin<Box<dyn Future<Output = BoxStream<'a, u8>> + Send + 'a>> {
        let upto = *upto;
        Box::pin(async move { stream::iter(0..upto).boxed() })
    }

    #[inference_stage("decode", stream)]
    pub fn boxed_answer<'a>(
        upto: &'a u8,
    ) -> Pin<Box<dyn Future<Output = Result<BoxStream<'a, u8>, String>> + Send + 'a>> {
        Box::pin(async move { Ok(stream::iter(0..*upto).boxed()) })
    }

    pub mod named {
        pub type Tokens<'a> = super::BoxStream<'a, Result<&'a str, String>>;
        pub type Answer<T> = Result<tonic::Response<T>, tonic::Status>;
    }

    #[inference_stage("decode", stream)]
    pub fn alias<'a>(words: &'a [&'a str]) -> named::Tokens<'a> {
        stream::iter(words.iter().map(|word| Ok(*word))).boxed()
    }

    /// As tonic generates it.
    pub trait Service {
        type GenerateStream: Stream<Item = Result<u8, tonic::Status>> + Send + 'static;
        fn generate(
            &self,
            upto: u8,
        ) -> impl Future<Output = named::Answer<Self::GenerateStream>> + Send;
    }

    impl Service for Engine {
        type GenerateStream = BoxStream<'static, Result<u8, tonic::Status>>;

        #[inference_stage("decode", stream)]
        async fn generate(&self, upto: u8) -> named::Answer<Self::GenerateStream> {
            if upto > self.0 {
                return Err(tonic::Status::invalid_argument("too much"));
            }
            let items = (0..upto)
                .map(Ok)
                .chain([Err(tonic::Status::internal("broke"))]);
            Ok(tonic::Response::new(Box::pin(stream::iter(items))))
        }
    }

    #[inference_stage("decode", stream)]
    pub fn generic<'a, T: Clone + Send + Sync>(values: &'a [T]) -> BoxStream<'a, T> {
        stream::iter(values.iter().cloned()).boxed()
    }

    pub struct Engine(pub u8);

    impl Engine {
        #[inference_stage("decode", stream)]
        pub fn run<T: Clone>(&self, value: &T) -> impl Stream<Item = T> + use<T> {
            stream::iter(vec![value.clone(); usize::from(self.0)])
        }
    }

    pub trait Generate {
        fn generate(self: Arc<Self>) -> BoxStream<'static, u8>;

        #[inference_stage("decode", stream)]
        fn twice(self: Arc<Self>) -> BoxStream<'static, u8>
        where
            Self: Send + Sync + 'static,
        {
            Arc::clone(&self).generate().chain(self.generate()).boxed()
        }
    }

    impl Generate for Engine {
        #[inference_stage("decode", stream)]
        fn generate(self: Arc<Self>) -> BoxStream<'static, u8> {
            stream::iter(0..self.0).boxed()
        }
    }
}

#[test]
fn streams_in_every_dress_end_once() {
    let rig = Rig::new();
    let _inside = rig.enter();
    assert_eq!(all(shapes::hidden(2)), [0, 1]);
    let mut values = vec![1];
    assert_eq!(all(shapes::borrowing(&mut values, "12")), [&1, &2]);
    let mut fused = shapes::without_item();
    assert!(!fused.is_terminated());
    assert_eq!(all(&mut fused), [1, 2, 3]);
    assert!(fused.is_terminated());
    assert_eq!(all(shapes::boxed(true)).len(), 3);
    assert_eq!(all(shapes::boxed(false)).len(), 1);
    assert_eq!(all(shapes::boxed_local(&[7])), [&7]);
    assert_eq!(all(shapes::spelled(&[7])), [Ok(&7)]);
    assert_eq!(all(shapes::unpinned()).len(), 3);
    assert_eq!(ended(&rig), "decode ok 8");

    assert_eq!(shapes::fallible("2").map(all), Ok(vec![0, 1]));
    assert!(shapes::fallible("x").is_err());
    assert_eq!(
        shapes::optional(true).map(all).map(|all| all.len()),
        Some(3)
    );
    assert!(shapes::optional(false).is_none());
    let engine = Arc::new(shapes::Engine(2));
    assert_eq!(all(engine.run(&"x")), ["x", "x"]);
    assert_eq!(all(shapes::Generate::twice(engine)), [0, 1, 0, 1]);
    assert_eq!(ended(&rig), "decode error 1, decode ok 15");
    assert_eq!(in_flight(&rig), 0);
}

#[test]
fn futures_that_give_streams_end_with_the_stream() {
    let rig = Rig::new();
    let _inside = rig.enter();
    futures::executor::block_on(async {
        assert_eq!(shapes::asynchronous(&2).await.count().await, 2);
        assert_eq!(shapes::boxed_future(&2).await.count().await, 2);
        let answer = shapes::boxed_answer(&2).await.expect("it is there");
        assert_eq!(answer.count().await, 2);
        let some = shapes::returned_future(1).await.expect("it is there");
        assert_eq!(some.count().await, 2);
        assert!(
            shapes::returned_future(2).await.is_ok(),
            "and it is dropped"
        );
        assert!(shapes::returned_future(0).await.is_err());
        let so_far = "decode cancelled 1, decode error 1, decode ok 4";
        assert_eq!(ended(&rig), so_far);
        let answer = shapes::handler(true).await.expect("it is there");
        assert_eq!(answer.into_inner().count().await, 3);
        assert!(shapes::handler(false).await.is_err());
    });
    assert_eq!(
        ended(&rig),
        "decode cancelled 1, decode error 1, decode ok 5, decode rejected 1"
    );
}

#[test]
fn a_stream_is_found_behind_any_name() {
    let rig = Rig::new();
    let _inside = rig.enter();
    assert_eq!(all(shapes::alias(&["a"])), [Ok("a")]);
    assert_eq!(all(shapes::generic(&[String::from("a")])), ["a"]);
    assert_eq!(ended(&rig), "decode ok 2");
    let engine = shapes::Engine(3);
    let answer = |upto| futures::executor::block_on(shapes::Service::generate(&engine, upto));
    assert!(answer(4).is_err());
    assert_eq!(all(answer(2).expect("it streams").into_inner()).len(), 3);
    drop(answer(2));
    assert_eq!(
        ended(&rig),
        "decode cancelled 1, decode error 1, decode ok 2, decode rejected 1"
    );
}

#[inference_stage("decode", stream)]
fn items(items: Vec<Item>) -> impl Stream<Item = Item> + Unpin {
    stream::iter(items)
}

#[test]
fn the_error_at_which_a_stream_stops_is_its_outcome() {
    let rig = Rig::new();
    let _inside = rig.enter();
    // asked to its end, and dropped where it stopped
    assert_eq!(all(items(vec![Ok(1), Err(failure())])).len(), 2);
    let mut stopped = items(vec![Ok(1), Err(failure()), Ok(2)]);
    assert!(stopped.next().now_or_never().flatten().is_some());
    assert!(stopped.next().now_or_never().flatten().is_some());
    drop(stopped);
    assert_eq!(ended(&rig), "decode error 2");
    // it went on, so the error was not the end
    assert_eq!(all(items(vec![Err(failure()), Ok(2)])).len(), 2);
    assert_eq!(ended(&rig), "decode error 2, decode ok 1");
}

#[test]
fn a_stream_that_is_dropped_was_cancelled() {
    let rig = Rig::new();
    let _inside = rig.enter();
    drop(shapes::hidden(3));
    let mut begun = shapes::boxed(true);
    assert_eq!(begun.next().now_or_never(), Some(Some(1)));
    assert_eq!(in_flight(&rig), 1);
    drop(begun);
    // two of three, as many consumers do
    assert_eq!(all(shapes::hidden(3).take(2)), [0, 1]);
    assert_eq!(ended(&rig), "decode cancelled 3");
    assert_eq!(in_flight(&rig), 0);
}

#[test]
fn a_stream_may_be_asked_again_after_its_end() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let mut done = shapes::boxed(false);
    for expected in [Some(1), None, None] {
        assert_eq!(done.next().now_or_never(), Some(expected));
    }
    drop(done);
    assert_eq!(ended(&rig), "decode ok 1");
}

#[inference_stage("decode", stream)]
fn booms() -> impl Stream<Item = u8> + Unpin {
    stream::iter([1, 0]).map(|n| 1 / n)
}

#[inference_stage("decode", stream)]
fn booms_at_once() -> BoxStream<'static, u8> {
    panic!("boom")
}

#[test]
fn a_panic_is_a_panic_and_the_drop_after_it_nothing() {
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(catch_unwind(|| drop(booms_at_once())).is_err());
    let mut stream = booms();
    assert_eq!(stream.next().now_or_never(), Some(Some(1)));
    let caught = catch_unwind(AssertUnwindSafe(|| stream.next().now_or_never()));
    assert!(caught.is_err());
    drop(stream);
    assert_eq!(ended(&rig), "decode panicked 2");
    assert_eq!(in_flight(&rig), 0);
}

fn kind(_: &std::io::Error) -> ErrorType {
    ErrorType::CudaOom
}

#[inference_request(stream, error = kind)]
fn classified(items: Vec<Item>) -> Result<BoxStream<'static, Item>, std::io::Error> {
    if items.is_empty() {
        return Err(failure());
    }
    Ok(stream::iter(items).boxed())
}

#[test]
fn error_classifies_what_stops_it_and_what_begins_no_stream() {
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(classified(vec![]).is_err());
    assert!(classified(vec![Err(failure())]).map(all).is_ok());
    assert!(classified(vec![Ok(1)]).map(all).is_ok());
    assert_eq!(shown(&requests(&rig)), "error 2, ok 1");
    let types = counts(&rig, "inference_errors_total", &["error_type"]);
    assert_eq!(shown(&types), "cuda_oom 2");
}

#[inference_stage("postprocess")]
fn render(n: u8) -> u8 {
    assert!(RequestContext::current().is_some());
    n
}

/// Renders once more when it is dropped.
struct Renders;

impl Drop for Renders {
    fn drop(&mut self) {
        render(0);
    }
}

#[inference_request(stream)]
async fn answer(upto: u8) -> impl Stream<Item = u8> + Send + 'static {
    tokio::task::yield_now().await;
    let last = Renders;
    stream::iter(0..upto).map(move |n| {
        let _ = &last;
        render(n)
    })
}

#[test]
fn stages_in_a_stream_belong_to_its_request() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let begun = futures::executor::block_on(answer(3));
    assert_eq!(requests(&rig).len(), 0);
    assert!(RequestContext::current().is_none());
    // polled and dropped on another thread, where no runtime is entered
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut begun = Box::pin(begun);
            assert_eq!(begun.next().now_or_never(), Some(Some(0)));
            drop(begun);
        });
    });
    assert_eq!(shown(&requests(&rig)), "cancelled 1");
    assert_eq!(ended(&rig), "postprocess ok 2");
    assert!(!rig.scrape().contains("inference_orphan_stages_total{"));
}

#[test]
fn the_time_of_a_stream_is_from_the_call_to_its_end() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let mut stream = shapes::boxed(false);
    rig.advance(Duration::from_millis(20));
    assert_eq!(stream.next().now_or_never(), Some(Some(1)));
    rig.advance(Duration::from_millis(20));
    assert_eq!(stream.next().now_or_never(), Some(None));
    rig.advance(Duration::from_millis(20));
    drop(stream);
    let sum = "inference_stage_duration_seconds_sum{model=\"none\",outcome=\"ok\",stage=\"decode\",version=\"none\"}";
    let sum = rig.value(sum).expect("it ended");
    assert!((sum - 0.04).abs() < 1e-9, "{sum}");
}

fn sendable<T: Send>(value: T) -> T {
    value
}

#[test]
fn a_stream_is_sent_and_sized_as_before() {
    // no runtime: everything passes through
    let mut stream = sendable(shapes::hidden(3));
    assert_eq!(stream.size_hint(), (3, Some(3)));
    assert_eq!(stream.next().now_or_never(), Some(Some(0)));
    assert_eq!(stream.size_hint(), (2, Some(2)));
    drop(sendable(answer(1)));
}
