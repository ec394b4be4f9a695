//! tonic: calls, streams, and the status that comes last.

use crate::support::{shown, stages};
use crate::traces::told;
use crate::wire::{
    Client, Version, cancellations, ended, errors, in_flight, rejections, request, settles,
};
use bytes::{Buf, BufMut};
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt, future::BoxFuture};
use http::uri::PathAndQuery;
use http_body_util::BodyExt;
use instrument_inference::testing::Rig;
use instrument_inference::{
    Rejection, RequestContext, RequestLayer, inference_request, inference_stage,
};
use std::convert::Infallible;
use std::future::{pending, ready};
use std::net::SocketAddr;
use std::task::{Context, Poll};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::server::{Grpc, NamedService};
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Code, Request, Response, Status};
use tower::{Service, service_fn};

/// Messages are texts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Text;

impl Codec for Text {
    type Encode = String;
    type Decode = String;
    type Encoder = Text;
    type Decoder = Text;
    fn encoder(&mut self) -> Text {
        Text
    }
    fn decoder(&mut self) -> Text {
        Text
    }
}

impl Encoder for Text {
    type Item = String;
    type Error = Status;
    fn encode(&mut self, item: String, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put_slice(item.as_bytes());
        Ok(())
    }
}

impl Decoder for Text {
    type Item = String;
    type Error = Status;
    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<String>, Status> {
        let bytes = from.copy_to_bytes(from.remaining());
        String::from_utf8(bytes.to_vec())
            .map(Some)
            .map_err(|_| Status::invalid_argument("no text"))
    }
}

#[inference_stage("execute")]
async fn execute() {}

#[inference_stage("execute")]
async fn never() {
    pending::<()>().await;
}

/// Does what it is told: `ok`, `hang`, `told`, or a status code, after an execution if it says so.
async fn obey(order: String) -> Result<Response<String>, Status> {
    let code = match order.strip_prefix("execute ") {
        Some(code) => {
            execute().await;
            code
        }
        None => &order,
    };
    match code {
        "ok" => Ok(Response::new("done".to_owned())),
        "hang" => {
            never().await;
            unreachable!()
        }
        "told" => Ok(Response::new(told())),
        "draining" => {
            let context = RequestContext::current().expect("the layer's request is current");
            context.rejected(Rejection::Draining);
            Err(Status::unavailable("draining"))
        }
        code => Err(Status::new(
            Code::from(code.parse::<i32>().unwrap()),
            "as told",
        )),
    }
}

#[inference_request(route = "test.Test/Annotated")]
async fn annotated(request: Request<String>) -> Result<Response<String>, Status> {
    obey(request.into_inner()).await
}

async fn plain(request: Request<String>) -> Result<Response<String>, Status> {
    obey(request.into_inner()).await
}

type Answers = BoxStream<'static, Result<String, Status>>;

#[inference_request]
async fn streamed(request: Request<String>) -> Result<Response<Answers>, Status> {
    let first = stream::iter(["a", "b"]).map(|text| Ok(text.to_owned()));
    Ok(Response::new(match request.into_inner().as_str() {
        "ok" => first.boxed(),
        "hang" => first.chain(stream::pending()).boxed(),
        code => {
            let code = Code::from(code.parse::<i32>().unwrap());
            first
                .chain(stream::iter([Err(Status::new(code, "as told"))]))
                .boxed()
        }
    }))
}

#[derive(Debug, Clone)]
struct Test;

impl NamedService for Test {
    const NAME: &'static str = "test.Test";
}

impl Service<http::Request<Body>> for Test {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        async move {
            let mut grpc = Grpc::new(Text);
            Ok(match request.uri().path() {
                "/test.Test/Annotated" => grpc.unary(Unary(annotated), request).await,
                "/test.Test/Plain" => grpc.unary(Unary(plain), request).await,
                "/test.Test/Streamed" => grpc.server_streaming(Streaming, request).await,
                // an answer that forgets to say how it ended
                "/test.Test/Silent" => http::Response::new(Body::empty()),
                _ => Status::unimplemented("unknown").into_http(),
            })
        }
        .boxed()
    }
}

struct Unary<F>(F);

impl<F, A> tonic::server::UnaryService<String> for Unary<F>
where
    F: FnMut(Request<String>) -> A,
    A: Future<Output = Result<Response<String>, Status>>,
{
    type Response = String;
    type Future = A;
    fn call(&mut self, request: Request<String>) -> A {
        (self.0)(request)
    }
}

struct Streaming;

impl tonic::server::ServerStreamingService<String> for Streaming {
    type Response = String;
    type ResponseStream = Answers;
    type Future = BoxFuture<'static, Result<Response<Answers>, Status>>;
    fn call(&mut self, request: Request<String>) -> Self::Future {
        streamed(request).boxed()
    }
}

pub async fn serve(layer: RequestLayer) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::builder().layer(layer).add_service(Test);
    tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
    address
}

pub async fn connect(address: SocketAddr) -> tonic::client::Grpc<Channel> {
    let channel = Endpoint::from_shared(format!("http://{address}")).unwrap();
    tonic::client::Grpc::new(channel.connect().await.unwrap())
}

pub fn path(method: &str) -> PathAndQuery {
    format!("/test.Test/{method}").parse().unwrap()
}

async fn unary(
    client: &mut tonic::client::Grpc<Channel>,
    method: &str,
    order: &str,
) -> Result<String, Code> {
    client.ready().await.unwrap();
    let answer = client
        .unary(Request::new(order.to_owned()), path(method), Text)
        .await;
    answer
        .map(Response::into_inner)
        .map_err(|status| status.code())
}

async fn stream_of(
    client: &mut tonic::client::Grpc<Channel>,
    order: &str,
) -> tonic::Streaming<String> {
    client.ready().await.unwrap();
    client
        .server_streaming(Request::new(order.to_owned()), path("Streamed"), Text)
        .await
        .unwrap()
        .into_inner()
}

fn rig() -> Rig {
    let rig = Rig::builder().real_clock().start();
    rig.model("sentiment", "1");
    rig
}

#[tokio::test]
async fn a_call_that_is_answered_is_ok() {
    let rig = rig();
    let mut client = connect(serve(rig.request_layer("grpc")).await).await;
    for method in ["Annotated", "Plain"] {
        assert_eq!(
            unary(&mut client, method, "execute ok").await.unwrap(),
            "done"
        );
    }
    settles(&rig, "grpc ok 2").await;
    assert_eq!(shown(&stages(&rig)), "execute ok 2, ingress ok 2");
}

#[tokio::test]
async fn every_status_has_its_outcome_with_and_without_the_attribute() {
    let rejected = "grpc rejected 1";
    let error = "grpc error 1";
    for (order, outcome, reason, blamed) in [
        ("3", rejected, "invalid_input 1", ""),
        ("5", rejected, "invalid_input 1", ""),
        ("6", rejected, "invalid_input 1", ""),
        ("9", rejected, "invalid_input 1", ""),
        ("11", rejected, "invalid_input 1", ""),
        ("7", rejected, "unauthorized 1", ""),
        ("16", rejected, "unauthorized 1", ""),
        ("8", rejected, "rate_limited 1", ""),
        ("execute 8", error, "", "resource_exhausted"),
        ("execute 3", error, "", "invalid_input"),
        ("4", error, "", "deadline_exceeded"),
        ("14", error, "", "unavailable"),
        ("draining", rejected, "draining 1", ""),
        ("1", "grpc cancelled 1", "", ""),
        ("2", error, "", "internal"),
        ("10", error, "", "internal"),
        ("12", error, "", "internal"),
        ("13", error, "", "internal"),
        ("15", error, "", "internal"),
    ] {
        for method in ["Annotated", "Plain"] {
            let rig = rig();
            let mut client = connect(serve(rig.request_layer("grpc")).await).await;
            assert!(unary(&mut client, method, order).await.is_err());
            settles(&rig, outcome).await;
            assert_eq!(rejections(&rig), reason, "{method} {order}");
            let types = crate::support::counts(&rig, "inference_errors_total", &["error_type"]);
            let expected = if blamed.is_empty() {
                String::new()
            } else {
                format!("{blamed} 1")
            };
            assert_eq!(shown(&types), expected, "{method} {order}");
            let cancelled = if order == "1" { "none client 1" } else { "" };
            assert_eq!(cancellations(&rig), cancelled, "{method} {order}");
        }
    }
}

#[tokio::test]
async fn an_answer_without_a_status_is_an_error() {
    let rig = rig();
    let mut client = connect(serve(rig.request_layer("grpc")).await).await;
    assert!(unary(&mut client, "Silent", "").await.is_err());
    settles(&rig, "grpc error 1").await;
    assert!(unary(&mut client, "Nowhere", "").await.is_err());
    settles(&rig, "grpc error 2").await;
}

#[tokio::test]
async fn a_stream_ends_with_its_trailers() {
    let rig = rig();
    let mut client = connect(serve(rig.request_layer("grpc")).await).await;
    let all: Vec<_> = stream_of(&mut client, "ok").await.collect().await;
    assert_eq!(all.len(), 2);
    settles(&rig, "grpc ok 1").await;
    let all: Vec<_> = stream_of(&mut client, "14").await.collect().await;
    assert_eq!(all[2].as_ref().unwrap_err().code(), Code::Unavailable);
    settles(&rig, "grpc error 1, grpc ok 1").await;
    assert_eq!(errors(&rig), "none unavailable 1");
}

#[tokio::test]
async fn a_client_that_leaves_a_stream_cancels_it() {
    let rig = rig();
    let mut client = connect(serve(rig.request_layer("grpc")).await).await;
    let mut answers = stream_of(&mut client, "hang").await;
    assert_eq!(answers.next().await.unwrap().unwrap(), "a");
    assert_eq!(
        (ended(&rig), in_flight(&rig)),
        (String::new(), "sentiment 1".to_owned())
    );
    drop(answers);
    settles(&rig, "grpc cancelled 1").await;
    assert_eq!(cancellations(&rig), "none client 1");
}

#[tokio::test]
async fn time_that_is_over_is_told_to_the_client_before_and_during_its_answer() {
    let rig = rig();
    let mut client = connect(serve(rig.request_layer("grpc").timeout("500ms")).await).await;
    assert_eq!(
        unary(&mut client, "Annotated", "hang").await.unwrap_err(),
        Code::DeadlineExceeded
    );
    settles(&rig, "grpc error 1").await;
    let all: Vec<_> = stream_of(&mut client, "hang").await.collect().await;
    assert_eq!(all.len(), 3);
    assert_eq!(all[2].as_ref().unwrap_err().code(), Code::DeadlineExceeded);
    settles(&rig, "grpc error 2").await;
    assert_eq!(
        errors(&rig),
        "execute deadline_exceeded 1, none deadline_exceeded 1"
    );
}

#[tokio::test]
async fn a_client_says_how_long_it_waits() {
    let rig = rig();
    let address = serve(rig.request_layer("grpc").timeout("1h")).await;
    // by hand: tonic's own client would leave at the same moment
    let mut client = Client::connect(address, Version::Two).await;
    let mut call = request("POST", "/test.Test/Annotated", &b"\0\0\0\0\x04hang"[..]);
    let headers = call.headers_mut();
    headers.insert("content-type", "application/grpc".parse().unwrap());
    headers.insert("grpc-timeout", "500m".parse().unwrap());
    headers.remove("host");
    let answer = client.send(call).await.unwrap();
    assert_eq!(answer.headers()["grpc-status"], "4");
    assert_eq!(answer.headers()["content-type"], "application/grpc");
    assert!(
        answer
            .into_body()
            .collect()
            .await
            .unwrap()
            .to_bytes()
            .is_empty()
    );
    settles(&rig, "grpc error 1").await;
    assert_eq!(errors(&rig), "execute deadline_exceeded 1");
}

#[tokio::test]
async fn what_stands_before_grpc_answers_in_http() {
    use tower::{Layer, ServiceExt};
    let rig = rig();
    let refused = service_fn(|_: http::Request<Body>| {
        let answer = http::Response::builder().status(413).body(Body::empty());
        ready(Ok::<_, Infallible>(answer.unwrap()))
    });
    let request = http::Request::post("/test.Test/Plain")
        .body(Body::empty())
        .unwrap();
    let answer = rig
        .request_layer("grpc")
        .layer(refused)
        .oneshot(request)
        .await
        .unwrap();
    assert_eq!(answer.status(), 413);
    assert_eq!(ended(&rig), "grpc rejected 1");
}
