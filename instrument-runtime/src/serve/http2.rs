//! One HTTP/2 connection, of a client that knows beforehand that it speaks it (as gRPC does).

use crate::serve::connection::{Connection, Limits};
use crate::serve::held::{Held, UnderWay};
use crate::serve::watched::Watched;
use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

/// Streams of one connection at a time.
const STREAMS: u32 = 100;
/// Bytes of the head of a request.
const LONGEST_HEAD: u32 = 16 * 1024;
/// Bytes that wait for a client to read them, for each stream.
const UNREAD: usize = 64 * 1024;

/// Serves until the connection ends, is told to close, has had nothing to do for long, does not answer a ping, or
/// `leaving` is over and its streams have ended.
pub(crate) async fn serve(
    stream: Watched,
    router: Router,
    limits: Limits,
    connection: &Arc<Connection>,
    leaving: impl Future<Output = ()>,
) {
    let shared = Arc::clone(connection);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        let router = TowerToHyperService::new(router.clone());
        let under_way = UnderWay::begin(&shared);
        request.extensions_mut().insert(shared.id);
        async move {
            let answer = match tokio::time::timeout(limits.request, router.call(request)).await {
                Ok(Ok(answer)) => answer,
                Ok(Err(never)) => match never {},
                // a request whose body never comes
                Err(_) => StatusCode::GATEWAY_TIMEOUT.into_response(),
            };
            Ok::<_, Infallible>(answer.map(|body| Held::new(body, under_way)))
        }
    });
    let serving = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(limits.ping)
        .keep_alive_timeout(limits.request)
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(LONGEST_HEAD)
        .max_send_buf_size(UNREAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut serving = pin!(serving);
    tokio::select! {
        _ = serving.as_mut() => return,
        () = connection.close.notified() => return,
        () = connection.overdue(limits, Connection::left_http2) => return,
        () = leaving => {}
    }
    serving.as_mut().graceful_shutdown();
    let _ = serving.await;
}
