//! Streams of tokens through axum's `Sse` and through tonic: slow readers, clients that leave, errors on the way.

use crate::grpc::{Text, connect, path};
use crate::support::{counts, shown, stages};
use crate::wire::{
    BOTH, Client, Version, cancellations, ended, errors, in_flight, request, serve, settles,
};
use axum::Router;
use axum::extract::Path;
use axum::response::sse::{Event, Sse};
use axum::routing::get;
use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{FutureExt, Stream, StreamExt};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use instrument_inference::testing::Rig;
use instrument_inference::{Classify, ErrorType, MeasureTokens, inference_request};
use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::body::Body;
use tonic::server::{Grpc, NamedService};
use tonic::transport::Server;
use tonic::{Code, Request, Response, Status};
use tower::Service;

#[derive(Debug)]
struct Engine;
impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the engine has failed")
    }
}
impl std::error::Error for Engine {}
impl Classify for Engine {
    fn error_type(&self) -> ErrorType {
        ErrorType::CudaOom
    }
}

fn count(item: &Result<u32, Engine>) -> Result<u32, ErrorType> {
    item.as_ref().copied().map_err(Classify::error_type)
}

/// A role and two tokens; then what the order says.
fn generate(order: &str) -> BoxStream<'static, Result<u32, Engine>> {
    let first = stream::iter([Ok(0), Ok(1), Ok(1)]);
    match order {
        "hang" => first.chain(stream::pending()).boxed(),
        "fail" | "apologize" => first
            .chain(stream::once(async {
                // lets the server write what there is
                tokio::task::yield_now().await;
                Err(Engine)
            }))
            .boxed(),
        _ => first.boxed(),
    }
}

#[inference_request]
async fn chat(Path(order): Path<String>) -> Sse<BoxStream<'static, Result<Event, Engine>>> {
    let tokens = generate(&order).measure_tokens(count);
    let apologize = order == "apologize";
    Sse::new(
        tokens
            .map(move |item| match item {
                Err(_) if apologize => Ok(Event::default().event("error").data("sorry")),
                item => item.map(|tokens| Event::default().data(tokens.to_string())),
            })
            .boxed(),
    )
}

fn app(rig: &Rig) -> Router {
    Router::new()
        .route("/chat/{order}", get(chat))
        .layer(rig.request_layer("http"))
}

fn rig() -> Rig {
    let rig = Rig::builder().real_clock().start();
    rig.model("llama", "1");
    rig
}

async fn ask(to: SocketAddr, version: Version, order: &str) -> (Client, Incoming) {
    let mut client = Client::connect(to, version).await;
    let answer = client
        .send(request("GET", &format!("/chat/{order}"), ""))
        .await;
    let answer = answer.unwrap();
    assert_eq!(answer.status(), 200);
    (client, answer.into_body())
}

fn tokens(rig: &Rig) -> String {
    shown(&counts(rig, "inference_tokens_total", &["token_type"]))
}

#[tokio::test]
async fn an_answer_that_is_read_to_its_end_is_ok() {
    for version in BOTH {
        let rig = rig();
        let (_client, body) = ask(serve(app(&rig)).await, version, "ok").await;
        let text = body.collect().await.unwrap().to_bytes();
        assert_eq!(text, "data: 0\n\ndata: 1\n\ndata: 1\n\n");
        settles(&rig, "http ok 1").await;
        assert_eq!(
            shown(&stages(&rig)),
            "decode ok 1, ingress ok 1, prefill ok 1"
        );
        assert_eq!(tokens(&rig), "output 2");
    }
}

#[tokio::test]
async fn a_client_that_leaves_is_cancelled_in_decode() {
    for version in BOTH {
        let rig = rig();
        let (client, mut body) = ask(serve(app(&rig)).await, version, "hang").await;
        let mut read = 0;
        while read < "data: 0\n\ndata: 1\n\ndata: 1\n\n".len() {
            let frame = body.frame().await.unwrap().unwrap();
            read += frame.into_data().unwrap().len();
        }
        assert_eq!(
            (ended(&rig), in_flight(&rig)),
            (String::new(), "llama 1".to_owned())
        );
        drop(body);
        client.hang_up();
        settles(&rig, "http cancelled 1").await;
        assert_eq!(cancellations(&rig), "decode client 1");
        assert_eq!(tokens(&rig), "output 2");
    }
}

#[tokio::test]
async fn the_error_of_a_stream_says_more_than_the_status_code() {
    for version in BOTH {
        for (order, arrives) in [("fail", false), ("apologize", true)] {
            let rig = rig();
            let (_client, body) = ask(serve(app(&rig)).await, version, order).await;
            assert_eq!(body.collect().await.is_ok(), arrives, "{version:?} {order}");
            settles(&rig, "http error 1").await;
            assert_eq!(errors(&rig), "decode cuda_oom 1", "{version:?} {order}");
        }
    }
}

#[tokio::test]
async fn without_a_layer_the_stream_ends_the_request() {
    for version in BOTH {
        let rig = rig();
        // this runtime has one thread
        let _inside = rig.enter();
        let address = serve(Router::new().route("/chat/{order}", get(chat))).await;
        let (_client, body) = ask(address, version, "ok").await;
        body.collect().await.unwrap();
        settles(&rig, " ok 1").await;
        let (_client, body) = ask(address, version, "apologize").await;
        body.collect().await.unwrap();
        settles(&rig, " error 1,  ok 1").await;
        let (client, mut body) = ask(address, version, "hang").await;
        body.frame().await.unwrap().unwrap();
        drop(body);
        client.hang_up();
        settles(&rig, " cancelled 1,  error 1,  ok 1").await;
        let cancelled = cancellations(&rig);
        assert!(cancelled.ends_with(" unknown 1"), "{cancelled}");
    }
}

/// More than all buffers between a server and a client that does not read.
const CHUNKS: usize = 120;
const CHUNK: usize = 256 * 1024;

fn endless(given: &Arc<AtomicUsize>) -> impl Stream<Item = Bytes> + Send + use<> {
    let given = Arc::clone(given);
    let chunk = Bytes::from(vec![b'x'; CHUNK]);
    stream::iter(0..CHUNKS).map(move |_| {
        given.fetch_add(1, Ordering::AcqRel);
        chunk.clone()
    })
}

/// Waits until the server has filled every buffer.
async fn stuck(given: &AtomicUsize) {
    let mut known = (0, 0);
    while known.1 < 50 {
        tokio::time::sleep(Duration::from_millis(2)).await;
        let now = given.load(Ordering::Acquire);
        known = if now == known.0 {
            (now, known.1 + 1)
        } else {
            (now, 0)
        };
    }
    assert!((1..CHUNKS).contains(&known.0), "{known:?}");
}

#[tokio::test]
async fn the_time_of_a_slow_reader_is_no_gap() {
    for version in BOTH {
        let rig = Arc::new(Rig::new());
        drop(rig.model("llama", "1").gen_ai("chat", "ours"));
        let given = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&given);
        let handler = move || {
            let items = endless(&counter).measure_tokens(|_| 1);
            let body = axum::body::Body::from_stream(items.map(Ok::<_, Infallible>));
            async move { body }
        };
        let app = Router::new()
            .route("/chat/slow", get(handler))
            .layer(rig.request_layer("http"));
        let (_client, body) = ask(serve(app).await, version, "slow").await;
        stuck(&given).await;
        rig.advance(Duration::from_secs(5));
        assert_eq!(
            body.collect().await.unwrap().to_bytes().len(),
            CHUNKS * CHUNK
        );
        settles(&rig, "http ok 1").await;
        let value = |series: &str| rig.value(&format!("{series}{{model=\"llama\",version=\"1\"}}"));
        assert_eq!(
            value("inference_stream_backpressure_seconds_total"),
            Some(5.0)
        );
        assert_eq!(
            value("inference_inter_token_latency_seconds_sum"),
            Some(0.0)
        );
        assert_eq!(
            value("inference_inter_token_latency_seconds_count"),
            Some((CHUNKS - 1) as f64)
        );
    }
}

#[derive(Debug, Clone)]
struct Chat;

impl NamedService for Chat {
    // the path of the client that this test borrows
    const NAME: &'static str = "test.Test";
}

impl Service<http::Request<Body>> for Chat {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        async move { Ok(Grpc::new(Text).server_streaming(Chat, request).await) }.boxed()
    }
}

type Answers = BoxStream<'static, Result<String, Status>>;

#[inference_request]
async fn answer(request: Request<String>) -> Result<Response<Answers>, Status> {
    let first = stream::iter(["a", "b"]).map(|text| Ok(text.to_owned()));
    let all = match request.into_inner().as_str() {
        "ok" => first.boxed(),
        "hang" => first.chain(stream::pending()).boxed(),
        code => {
            let code = Code::from(code.parse::<i32>().unwrap());
            first
                .chain(stream::iter([Err(Status::new(code, "as told"))]))
                .boxed()
        }
    };
    let measured =
        all.measure_tokens(|item| item.as_ref().map(String::len).map_err(Classify::error_type));
    Ok(Response::new(measured.boxed()))
}

impl tonic::server::ServerStreamingService<String> for Chat {
    type Response = String;
    type ResponseStream = Answers;
    type Future = BoxFuture<'static, Result<Response<Answers>, Status>>;
    fn call(&mut self, request: Request<String>) -> Self::Future {
        answer(request).boxed()
    }
}

async fn stream_of(rig: &Rig, order: &str) -> tonic::Streaming<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::builder()
        .layer(rig.request_layer("grpc"))
        .add_service(Chat);
    tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
    let mut client = connect(address).await;
    client.ready().await.unwrap();
    client
        .server_streaming(Request::new(order.to_owned()), path("Streamed"), Text)
        .await
        .unwrap()
        .into_inner()
}

#[tokio::test]
async fn a_grpc_stream_ends_with_its_trailers() {
    for (order, outcome, decode, blamed) in [
        ("ok", "grpc ok 1", "ok", ""),
        ("14", "grpc error 1", "error", "decode unavailable 1"),
        ("8", "grpc error 1", "error", "decode resource_exhausted 1"),
        ("4", "grpc error 1", "error", "decode deadline_exceeded 1"),
    ] {
        let rig = rig();
        let _answers: Vec<_> = stream_of(&rig, order).await.collect().await;
        settles(&rig, outcome).await;
        assert_eq!(
            shown(&stages(&rig)),
            format!("decode {decode} 1, ingress ok 1, prefill ok 1")
        );
        assert_eq!(errors(&rig), blamed, "{order}");
        assert_eq!(tokens(&rig), "output 2");
    }
}

#[tokio::test]
async fn a_client_that_leaves_a_grpc_stream_cancels_it_in_decode() {
    let rig = rig();
    let mut answers = stream_of(&rig, "hang").await;
    for text in ["a", "b"] {
        assert_eq!(answers.next().await.unwrap().unwrap(), text);
    }
    drop(answers);
    settles(&rig, "grpc cancelled 1").await;
    assert_eq!(cancellations(&rig), "decode client 1");
}
