//! One HTTP/1 connection.

use crate::serve::connection::{Connection, Limits};
use crate::serve::held::UnderWay;
use crate::serve::watched::Watched;
use axum::Router;
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use std::pin::pin;
use std::sync::Arc;

/// The head of a request: enough for every name that a scrape may ask for.
const LONGEST_HEAD: usize = 64 * 1024;

/// Serves until the connection ends, is told to close, stands still in the middle of a request, or `leaving` is over
/// and what is under way has ended.
pub(crate) async fn serve(
    stream: Watched,
    router: Router,
    limits: Limits,
    connection: &Arc<Connection>,
    leaving: impl Future<Output = ()>,
) {
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let router = TowerToHyperService::new(router.clone());
        let under_way = UnderWay::begin(connection);
        async move {
            let answer = router.call(request).await;
            drop(under_way);
            answer
        }
    });
    let serving = hyper::server::conn::http1::Builder::new()
        // ours: hyper's counts the time between two requests too, and would take away the connections of who polls
        .header_read_timeout(None)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut serving = pin!(serving);
    tokio::select! {
        _ = serving.as_mut() => return,
        () = connection.close.notified() => return,
        () = connection.overdue(limits, Connection::left_http1) => return,
        () = leaving => {}
    }
    serving.as_mut().graceful_shutdown();
    let _ = serving.await;
}
