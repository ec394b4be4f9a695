//! The server under clients of HTTP/2: long streams stay, and nobody else does for nothing.

use crate::serve::connection::{ConnectionId, Limits};
use crate::serve::http::{Protocol, Server};
use crate::serve::http_tests::{PATIENT, SOON, listener};
use axum::body::{Body, Bytes};
use axum::extract::Extension;
use axum::http::{Request, Response, StatusCode};
use axum::routing::{get, post};
use axum::{Error, Router};
use http_body_util::BodyExt;
use hyper::body::{Frame, Incoming};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::watch;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// A frame of the type SETTINGS that sets nothing.
const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

/// A body that says what is told to it, and ends when nothing more can be.
struct Told(tokio::sync::mpsc::UnboundedReceiver<Bytes>);

impl hyper::body::Body for Told {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let told = ready!(self.0.poll_recv(cx));
        Poll::Ready(told.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// `/watch` says every value of `values`, until its sender is gone; `/id` the number of the connection; `/echo` what it
/// was sent.
fn router(values: &watch::Receiver<u32>) -> Router {
    let values = values.clone();
    let watching = move || {
        let mut values = values.clone();
        let (tell, told) = tokio::sync::mpsc::unbounded_channel();
        tokio::spawn(async move {
            loop {
                let value = values.borrow_and_update().to_string();
                if tell.send(value.into()).is_err() || values.changed().await.is_err() {
                    return;
                }
            }
        });
        async { Body::new(Told(told)) }
    };
    let id = |Extension(ConnectionId(id)): Extension<ConnectionId>| async move { id.to_string() };
    Router::new()
        .route("/watch", get(watching))
        .route("/id", get(id))
        .route("/echo", post(|body: String| async { body }))
}

fn served(limits: Limits) -> (Server, SocketAddr, watch::Sender<u32>) {
    let (tell, values) = watch::channel(0);
    let listeners = vec![listener(
        "control",
        router(&values),
        limits,
        Protocol::Http2,
    )];
    let server = Server::start("instrument-test", listeners).unwrap();
    let address = server.address("control").unwrap();
    (server, address, tell)
}

fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        tokio::time::timeout(Duration::from_secs(60), future)
            .await
            .expect("in time")
    })
}

async fn connected(address: SocketAddr) -> SendRequest<Body> {
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let (client, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    client
}

fn to(path: &str) -> Request<Body> {
    let uri = format!("http://x{path}");
    Request::builder().uri(uri).body(Body::empty()).unwrap()
}

async fn text(answer: Response<Incoming>) -> String {
    assert_eq!(answer.status(), StatusCode::OK);
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(body.to_vec()).unwrap()
}

async fn next(body: &mut Incoming) -> Option<Bytes> {
    let frame = body.frame().await?;
    Some(frame.unwrap().into_data().unwrap())
}

#[test]
fn each_connection_has_a_number_of_its_own() {
    let (_server, address, _tell) = served(PATIENT);
    block_on(async {
        let (mut one, mut two) = (connected(address).await, connected(address).await);
        let first = text(one.send_request(to("/id")).await.unwrap()).await;
        assert_eq!(
            text(one.send_request(to("/id")).await.unwrap()).await,
            first
        );
        assert_ne!(
            text(two.send_request(to("/id")).await.unwrap()).await,
            first
        );
    });
}

#[test]
fn a_long_stream_stays_open_while_a_silent_peer_goes() {
    let (_server, address, tell) = served(Limits {
        // a client on a busy machine needs some time too
        header: SOON * 20,
        request: SOON * 20,
        idle: SOON * 20,
        ping: SOON,
        ..PATIENT
    });
    block_on(async {
        let mut client = connected(address).await;
        let mut body = client.send_request(to("/watch")).await.unwrap().into_body();
        assert_eq!(next(&mut body).await.unwrap(), "0");
        let silent = tokio::task::spawn_blocking(move || {
            let mut never_speaks = TcpStream::connect(address).unwrap();
            let mut never_answers = TcpStream::connect(address).unwrap();
            never_answers
                .write_all(&[PREFACE, SETTINGS].concat())
                .unwrap();
            for peer in [&mut never_speaks, &mut never_answers] {
                peer.set_read_timeout(Some(Duration::from_secs(60)))
                    .unwrap();
                peer.read_to_end(&mut Vec::new()).expect("it is closed");
            }
        });
        silent.await.unwrap();
        // by now the stream has been open for longer than anything else may take
        tell.send_replace(1);
        assert_eq!(next(&mut body).await.unwrap(), "1");
    });
}

#[test]
fn a_peer_that_opens_a_stream_and_falls_silent_goes_too() {
    let (_server, address, _tell) = served(Limits {
        request: SOON * 4,
        ping: SOON,
        ..PATIENT
    });
    // HEADERS of stream 1 with END_STREAM and END_HEADERS: GET, http, `/watch` and `x`, as HPACK has them
    let block = [&[0x82, 0x86, 0x04, 6][..], b"/watch", &[0x41, 1], b"x"].concat();
    let length = u8::try_from(block.len()).unwrap();
    let headers = [&[0, 0, length, 1, 5, 0, 0, 0, 1][..], &block].concat();
    let mut peer = TcpStream::connect(address).unwrap();
    peer.write_all(&[PREFACE, SETTINGS, &headers].concat())
        .unwrap();
    peer.set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let mut heard = Vec::new();
    peer.read_to_end(&mut heard).expect("it is closed");
    assert!(
        heard
            .windows(10)
            .any(|frame| frame[..5] == [0, 0, 1, 0, 0] && frame[9] == b'0'),
        "the stream was open"
    );
}

#[test]
fn an_idle_connection_makes_room_and_not_one_with_a_stream() {
    let (_server, address, tell) = served(Limits {
        connections: 2,
        ..PATIENT
    });
    block_on(async {
        let mut watching = connected(address).await;
        let mut body = watching
            .send_request(to("/watch"))
            .await
            .unwrap()
            .into_body();
        assert_eq!(next(&mut body).await.unwrap(), "0");
        let mut idle = connected(address).await;
        text(idle.send_request(to("/id")).await.unwrap()).await;
        let mut newest = connected(address).await;
        text(newest.send_request(to("/id")).await.unwrap()).await;
        // it has been told to close before the newest was served
        while idle.ready().await.is_ok() {
            tokio::task::yield_now().await;
        }
        tell.send_replace(1);
        assert_eq!(next(&mut body).await.unwrap(), "1");
    });
}

#[test]
fn what_a_client_may_send_is_limited() {
    let (_server, address, _tell) = served(Limits {
        request: SOON,
        ..PATIENT
    });
    let mut peer = TcpStream::connect(address).unwrap();
    peer.write_all(&[PREFACE, SETTINGS].concat()).unwrap();
    let mut head = [0; 9];
    peer.read_exact(&mut head).unwrap();
    assert_eq!(head[3], 4, "the first frame is SETTINGS");
    let mut settings = vec![0; usize::from(head[2])];
    peer.read_exact(&mut settings).unwrap();
    let has = |id: u8, value: u32| {
        let setting = [&[0, id][..], &value.to_be_bytes()].concat();
        settings.chunks(6).any(|one| one == setting)
    };
    assert!(has(3, 100), "streams at a time: {settings:?}");
    assert!(has(6, 16 * 1024), "the head of a request: {settings:?}");
    block_on(async {
        let mut client = connected(address).await;
        let mut large = to("/id");
        for number in 0..20 {
            let name: axum::http::HeaderName = format!("x-{number}").parse().unwrap();
            large
                .headers_mut()
                .insert(name, "x".repeat(1_000).parse().unwrap());
        }
        let answer = client.send_request(large).await.unwrap();
        assert_eq!(answer.status(), StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        // a body that never comes
        let (_never, told) = tokio::sync::mpsc::unbounded_channel();
        let mut request = to("/echo");
        *request.method_mut() = axum::http::Method::POST;
        *request.body_mut() = Body::new(Told(told));
        let answer = client.send_request(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::GATEWAY_TIMEOUT);
        text(client.send_request(to("/id")).await.unwrap()).await;
    });
}

#[test]
fn streams_that_are_ended_say_their_last_before_the_listener_closes() {
    let (mut server, address, tell) = served(PATIENT);
    block_on(async {
        let mut client = connected(address).await;
        let mut body = client.send_request(to("/watch")).await.unwrap().into_body();
        assert_eq!(next(&mut body).await.unwrap(), "0");
        let closing = tokio::task::spawn_blocking(move || {
            tell.send_replace(7);
            drop(tell);
            server.close("control");
        });
        assert_eq!(next(&mut body).await.unwrap(), "7");
        let rest = body.collect().await.expect("a clean end");
        assert_eq!(rest.to_bytes(), "");
        closing.await.unwrap();
        while client.ready().await.is_ok() {
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn a_stream_without_end_does_not_keep_a_server_open() {
    let (server, address, _tell) = served(PATIENT);
    block_on(async {
        let mut client = connected(address).await;
        let mut body = client.send_request(to("/watch")).await.unwrap().into_body();
        assert_eq!(next(&mut body).await.unwrap(), "0");
        tokio::task::spawn_blocking(move || drop(server))
            .await
            .unwrap();
        assert!(body.frame().await.is_none_or(|frame| frame.is_err()));
    });
}
