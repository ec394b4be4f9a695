//! A collector for tests: takes, refuses, or keeps silent, over gRPC and HTTP, on a thread of its own.

use crate::points::points;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use flate2::read::GzDecoder;
use opentelemetry_proto::tonic::collector::metrics::v1::metrics_service_server::{
    MetricsService, MetricsServiceServer,
};
use opentelemetry_proto::tonic::collector::metrics::v1::{
    ExportMetricsServiceRequest, ExportMetricsServiceResponse,
};
use prost::Message;
use std::collections::BTreeMap;
use std::future::pending;
use std::io::Read;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tonic::codec::CompressionEncoding;
use tonic::{Code, Request, Response, Status};

/// What it does with what it is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mood {
    Take,
    /// Not now: to be tried again.
    Busy,
    /// Not for you: not to be tried again.
    Forbid,
    /// Never answers.
    Silent,
}

/// One push.
#[derive(Clone, Debug)]
pub struct Received {
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The path of an HTTP request.
    pub path: String,
    pub request: ExportMetricsServiceRequest,
}

#[derive(Debug)]
struct Inner {
    mood: Mutex<Mood>,
    /// Answers with that mood before it takes again.
    times: Mutex<Option<usize>>,
    asked: Mutex<usize>,
    received: Mutex<Vec<Received>>,
}

/// Listens until it is dropped.
#[derive(Debug)]
pub struct Collector {
    pub address: SocketAddr,
    inner: Arc<Inner>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

/// How it is spoken to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speaks {
    Grpc,
    Http,
}

/// As `OTEL_EXPORTER_OTLP_PROTOCOL` has it.
pub const PROTOCOLS: [(Speaks, &str); 2] =
    [(Speaks::Grpc, "grpc"), (Speaks::Http, "http/protobuf")];

impl Collector {
    pub fn start(speaks: Speaks) -> Collector {
        Collector::listen(speaks, "127.0.0.1:0".parse().expect("an address"))
    }

    /// At an address of the caller's choice.
    pub fn listen(speaks: Speaks, address: SocketAddr) -> Collector {
        let inner = Arc::new(Inner {
            mood: Mutex::new(Mood::Take),
            times: Mutex::default(),
            asked: Mutex::default(),
            received: Mutex::default(),
        });
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let service = Arc::clone(&inner);
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind(address).await.expect("a free address");
                tell.send(listener.local_addr().expect("it is bound"))
                    .expect("somebody waits for it");
                let serve = async {
                    match speaks {
                        Speaks::Grpc => serve_grpc(listener, service).await,
                        Speaks::Http => serve_http(listener, service).await,
                    }
                };
                tokio::select! {
                    () = serve => {}
                    _ = stopped => {}
                }
            });
            runtime.shutdown_background();
        });
        Collector {
            address: told.recv().expect("it listens"),
            inner,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn becomes(&self, mood: Mood) {
        *self.inner.mood.lock().unwrap() = mood;
    }

    /// That many times, then it takes.
    pub fn becomes_for(&self, mood: Mood, times: usize) {
        *self.inner.times.lock().unwrap() = Some(times);
        self.becomes(mood);
    }

    /// How often something was sent, whatever the answer.
    pub fn asked(&self) -> usize {
        *self.inner.asked.lock().unwrap()
    }

    /// What was taken.
    pub fn received(&self) -> Vec<Received> {
        self.inner.received.lock().unwrap().clone()
    }

    /// The points of the last push.
    #[track_caller]
    pub fn last(&self) -> BTreeMap<String, f64> {
        points(&self.received().last().expect("something was taken").request)
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Inner {
    async fn take(&self, received: impl FnOnce() -> Received) -> Mood {
        *self.asked.lock().unwrap() += 1;
        let mut mood = *self.mood.lock().unwrap();
        if let Some(left) = self.times.lock().unwrap().as_mut() {
            if *left == 0 {
                mood = Mood::Take;
            }
            *left = left.saturating_sub(1);
        }
        match mood {
            Mood::Take => self.received.lock().unwrap().push(received()),
            Mood::Silent => pending().await,
            Mood::Busy | Mood::Forbid => {}
        }
        mood
    }
}

fn names(headers: &HeaderMap) -> BTreeMap<String, String> {
    let pair = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        (name.to_string(), value)
    };
    headers.iter().map(pair).collect()
}

struct Grpc(Arc<Inner>);

#[tonic::async_trait]
impl MetricsService for Grpc {
    async fn export(
        &self,
        request: Request<ExportMetricsServiceRequest>,
    ) -> Result<Response<ExportMetricsServiceResponse>, Status> {
        let (metadata, _, request) = request.into_parts();
        let received = || Received {
            headers: names(&metadata.into_headers()),
            path: String::new(),
            request,
        };
        match self.0.take(received).await {
            Mood::Take => Ok(Response::new(ExportMetricsServiceResponse::default())),
            Mood::Busy => Err(Status::new(Code::Unavailable, "busy")),
            _ => Err(Status::new(Code::Unauthenticated, "who are you?")),
        }
    }
}

async fn serve_grpc(listener: TcpListener, inner: Arc<Inner>) {
    let service = MetricsServiceServer::new(Grpc(inner))
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(usize::MAX);
    let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
    let server = tonic::transport::Server::builder().add_service(service);
    server
        .serve_with_incoming(incoming)
        .await
        .expect("it serves");
}

async fn serve_http(listener: TcpListener, inner: Arc<Inner>) {
    let router = axum::Router::new().fallback(http).with_state(inner);
    axum::serve(listener, router).await.expect("it serves");
}

fn answer(headers: &HeaderMap, uri: &Uri, body: &Bytes) -> Received {
    let mut plain = Vec::new();
    if headers
        .get("content-encoding")
        .is_some_and(|coding| coding == "gzip")
    {
        GzDecoder::new(&body[..])
            .read_to_end(&mut plain)
            .expect("it is gzip");
    } else {
        plain.extend_from_slice(body);
    }
    Received {
        headers: names(headers),
        path: uri.path().to_owned(),
        request: ExportMetricsServiceRequest::decode(&plain[..]).expect("it is a push"),
    }
}

async fn http(
    State(inner): State<Arc<Inner>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let received = answer(&headers, &uri, &body);
    match inner.take(|| received).await {
        Mood::Take => StatusCode::OK,
        Mood::Busy => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::UNAUTHORIZED,
    }
}
