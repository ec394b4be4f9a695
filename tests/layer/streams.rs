//! A handler that gives a stream, inside the layer: the layer ends the request, the handler says what went wrong.

use crate::support::{shown, stages};
use crate::wire::{cancellations, ended, errors};
use axum::body::Body;
use bytes::Bytes;
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use http_body::{Body as _, Frame};
use http_body_util::{BodyExt, StreamBody};
use instrument_inference::testing::Rig;
use instrument_inference::{ErrorType, inference_request, inference_stage};
use std::convert::Infallible;
use std::io;
use std::pin::pin;
use tower::{Layer, ServiceExt, service_fn};

#[inference_stage("postprocess")]
fn render(n: u8) -> Bytes {
    Bytes::copy_from_slice(&[n])
}

fn kind(_: &io::Error) -> ErrorType {
    ErrorType::CudaOom
}

type Chunks = BoxStream<'static, io::Result<Bytes>>;

/// Chunks, one for each number; where it is 0 the stream fails.
#[inference_request(stream, error = kind)]
async fn chunks(numbers: &'static [u8]) -> io::Result<Chunks> {
    tokio::task::yield_now().await;
    let chunk = |n: &u8| match n {
        0 => Err(io::Error::from(io::ErrorKind::BrokenPipe)),
        n => Ok(render(*n)),
    };
    Ok(stream::iter(numbers.iter().map(chunk)).boxed())
}

/// The answer to one request, its body unread.
async fn answer(
    rig: &Rig,
    numbers: &'static [u8],
) -> http::Response<impl http_body::Body<Data = Bytes>> {
    let service = service_fn(move |_: http::Request<Body>| async move {
        let chunks = chunks(numbers).await.expect("it streams");
        let body = StreamBody::new(chunks.map(|chunk| chunk.map(Frame::data)));
        Ok::<_, Infallible>(http::Response::new(body))
    });
    let layer = rig.request_layer("http");
    let request = http::Request::new(Body::empty());
    layer
        .layer(service)
        .oneshot(request)
        .await
        .expect("it answers")
}

#[tokio::test]
async fn a_stream_that_is_read_is_ok_and_its_stages_are_the_requests() {
    let rig = Rig::new();
    let mut body = pin!(answer(&rig, &[1, 2]).await.into_body());
    assert_eq!(ended(&rig), "");
    while body.as_mut().frame().await.is_some() {}
    assert_eq!(ended(&rig), "http ok 1");
    assert_eq!(shown(&stages(&rig)), "ingress ok 1, postprocess ok 2");
    assert!(!rig.scrape().contains("inference_orphan_stages_total{"));
}

#[tokio::test]
async fn what_stopped_a_stream_says_more_than_a_broken_body() {
    let rig = Rig::new();
    let mut body = pin!(answer(&rig, &[1, 0]).await.into_body());
    assert!(matches!(body.as_mut().frame().await, Some(Ok(_))));
    assert!(matches!(body.as_mut().frame().await, Some(Err(_))));
    assert_eq!(ended(&rig), "http error 1");
    assert_eq!(errors(&rig), "none cuda_oom 1");
}

#[tokio::test]
async fn a_stream_that_nobody_reads_any_more_is_the_clients_doing() {
    let rig = Rig::new();
    let mut body = Box::pin(answer(&rig, &[1, 2]).await.into_body());
    assert!(body.as_mut().frame().now_or_never().is_some());
    assert!(!body.is_end_stream());
    drop(body);
    assert_eq!(ended(&rig), "http cancelled 1");
    assert_eq!(cancellations(&rig), "none client 1");
}
