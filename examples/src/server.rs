//! An HTTP server that ends in good order: no new connections, a bounded wait for those that are open.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How long open requests may take to finish once the server is to stop. Orchestrators commonly kill after 30 s, and
/// the telemetry has to be flushed within that too.
const GRACE: Duration = Duration::from_secs(10);

/// An address that is listened on, not yet answered at.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    addr: SocketAddr,
}

/// An address that cannot be listened on.
#[derive(Debug, Error)]
#[error("cannot listen on {addr} for http")]
pub struct BindError {
    addr: String,
    source: io::Error,
}

impl Server {
    /// Listens on `addr`; port 0 takes any that is free.
    ///
    /// # Errors
    ///
    /// If it is no address of this machine, or taken.
    pub async fn bind(addr: &str) -> Result<Server, BindError> {
        let wrong = |source| BindError {
            addr: addr.to_owned(),
            source,
        };
        let listener = TcpListener::bind(addr).await.map_err(wrong)?;
        let addr = listener.local_addr().map_err(wrong)?;
        Ok(Server { listener, addr })
    }

    /// Where it listens.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Answers until `stop` is ready, then lets open requests finish, and gives what `stop` gave.
    ///
    /// # Errors
    ///
    /// If the listener fails.
    pub async fn serve<T>(self, router: Router, stop: impl Future<Output = T>) -> io::Result<T> {
        let (tell, told) = oneshot::channel::<()>();
        let serving = axum::serve(self.listener, router).with_graceful_shutdown(async {
            let _ = told.await;
        });
        let mut serving = pin!(serving.into_future());
        let value = tokio::select! {
            value = stop => value,
            ended = &mut serving => {
                ended?;
                return Err(io::Error::other("the listener ended by itself"));
            }
        };
        drop(tell);
        if timeout(GRACE, serving).await.is_err() {
            eprintln!(
                "some connections were still open {GRACE:?} after the stop; they are dropped"
            );
        }
        Ok(value)
    }
}
