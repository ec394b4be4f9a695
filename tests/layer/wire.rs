//! Servers and clients on the loopback device, and waiting for what they record.

use crate::support::{counts, shown};
use axum::Router;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use instrument_inference::testing::Rig;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    One,
    Two,
}

pub const BOTH: [Version; 2] = [Version::One, Version::Two];

/// Serves it until the test's runtime ends.
pub async fn serve(app: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

enum Sender {
    One(http1::SendRequest<Full<Bytes>>),
    Two(http2::SendRequest<Full<Bytes>>),
}

/// One connection.
pub struct Client {
    sender: Sender,
    connection: JoinHandle<()>,
}

impl Client {
    pub async fn connect(to: SocketAddr, version: Version) -> Client {
        let stream = TcpStream::connect(to).await.unwrap();
        // otherwise a body waits for the acknowledgement of its headers, 40 ms
        stream.set_nodelay(true).unwrap();
        let io = TokioIo::new(stream);
        let (sender, connection) = match version {
            Version::One => {
                let (sender, connection) = http1::handshake(io).await.unwrap();
                let driven = tokio::spawn(async move { connection.await.unwrap_or_default() });
                (Sender::One(sender), driven)
            }
            Version::Two => {
                let (sender, connection) =
                    http2::handshake(TokioExecutor::new(), io).await.unwrap();
                let driven = tokio::spawn(async move { connection.await.unwrap_or_default() });
                (Sender::Two(sender), driven)
            }
        };
        Client { sender, connection }
    }

    pub async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> hyper::Result<Response<Incoming>> {
        match &mut self.sender {
            Sender::One(sender) => {
                sender.ready().await?;
                sender.send_request(request).await
            }
            Sender::Two(sender) => {
                sender.ready().await?;
                sender.send_request(request).await
            }
        }
    }

    /// Leaves without a word.
    pub fn hang_up(self) {
        self.connection.abort();
    }
}

pub fn request(method: &str, path: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    let request = Request::builder()
        .method(method)
        .uri(format!("http://localhost{path}"))
        .header("host", "localhost")
        .header("content-type", "application/json");
    request.body(Full::new(body.into())).unwrap()
}

/// How many requests have ended, by ingress and outcome: `http ok 1`.
pub fn ended(rig: &Rig) -> String {
    shown(&counts(
        rig,
        "inference_requests_total",
        &["ingress", "outcome"],
    ))
}

/// Requests in flight by model; empty when there are none.
pub fn in_flight(rig: &Rig) -> String {
    shown(&counts(rig, "inference_requests_in_flight", &["model"]))
}

pub fn errors(rig: &Rig) -> String {
    shown(&counts(
        rig,
        "inference_errors_total",
        &["stage", "error_type"],
    ))
}

pub fn rejections(rig: &Rig) -> String {
    shown(&counts(rig, "inference_rejections_total", &["reason"]))
}

pub fn cancellations(rig: &Rig) -> String {
    shown(&counts(
        rig,
        "inference_cancellations_total",
        &["stage", "cause"],
    ))
}

/// Waits until this is what has ended and nothing is in flight: a server notices some things after its client.
#[track_caller]
pub fn settles<'a>(rig: &'a Rig, expected: &'a str) -> impl Future<Output = ()> + 'a {
    let caller = std::panic::Location::caller();
    async move {
        let start = Instant::now();
        loop {
            let found = (ended(rig), in_flight(rig));
            if found == (expected.to_owned(), String::new()) {
                return;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "{caller}: expected {expected}, found {found:?}\n{}",
                rig.scrape()
            );
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}
