//! A small HTTP server on a thread of its own, with limits that keep it small whatever clients do.

use crate::serve::connection::{Connection, Connections, Limits};
use crate::serve::watched::Watched;
use crate::serve::{http1, http2};
use axum::Router;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

/// How long answers that are under way and open streams have to end when a listener closes.
const GRACE: Duration = Duration::from_millis(250);

/// What is spoken on a listener.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Protocol {
    Http1,
    /// Without TLS, known beforehand: gRPC.
    #[cfg_attr(
        all(not(test), not(all(feature = "grpc", feature = "health"))),
        expect(dead_code, reason = "the control plane is gRPC")
    )]
    Http2,
}

/// What to serve where.
#[derive(Debug)]
pub(crate) struct Listener {
    /// As the errors and [`Server::address`] call it: `metrics`, `health`, `control`.
    pub(crate) name: &'static str,
    /// Bound already.
    pub(crate) socket: TcpListener,
    pub(crate) router: Router,
    pub(crate) limits: Limits,
    pub(crate) protocol: Protocol,
}

/// Several listeners on one thread. All end when dropped.
#[derive(Debug)]
pub(crate) struct Server {
    ports: Vec<Port>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Port {
    name: &'static str,
    address: SocketAddr,
    stop: Option<oneshot::Sender<Infallible>>,
    /// Disconnected as soon as nobody listens there any more.
    open: mpsc::Receiver<Infallible>,
}

impl Server {
    /// Serves on sockets that are bound already, all on one thread of this name.
    ///
    /// # Errors
    /// When the system has no thread or file handle left.
    pub(crate) fn start(thread: &str, listeners: Vec<Listener>) -> io::Result<Server> {
        // one worker, and one thread for what takes long: the rest of the process must not notice
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(1)
            .build()?;
        let mut serving = JoinSet::new();
        let mut ports = Vec::new();
        for listener in listeners {
            listener.socket.set_nonblocking(true)?;
            let address = listener.socket.local_addr()?;
            let (stop, stopped) = oneshot::channel();
            let (opened, open) = mpsc::channel();
            let _inside = runtime.enter();
            let socket = tokio::net::TcpListener::from_std(listener.socket)?;
            let what = What {
                router: listener.router,
                limits: listener.limits,
                protocol: listener.protocol,
            };
            serving.spawn(async move {
                serve(socket, what, stopped).await;
                drop(opened);
            });
            ports.push(Port {
                name: listener.name,
                address,
                stop: Some(stop),
                open,
            });
        }
        let thread = std::thread::Builder::new()
            .name(thread.to_owned())
            .spawn(move || {
                // one that panics does not take the others with it
                runtime.block_on(async { while serving.join_next().await.is_some() {} });
                // an answer that is still being made is not waited for
                runtime.shutdown_background();
            })?;
        Ok(Server {
            ports,
            thread: Some(thread),
        })
    }

    /// Where the listener of this name listens.
    pub(crate) fn address(&self, name: &str) -> Option<SocketAddr> {
        let port = self.ports.iter().find(|port| port.name == name)?;
        Some(port.address)
    }

    /// Closes the listener of this name and its connections, and returns when they are closed; the others go on.
    #[cfg_attr(
        all(not(test), not(feature = "health")),
        expect(dead_code, reason = "metrics have a thread of their own")
    )]
    pub(crate) fn close(&mut self, name: &str) {
        for port in self.ports.iter_mut().filter(|port| port.name == name) {
            drop(port.stop.take());
            let _ = port.open.recv();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for port in &mut self.ports {
            drop(port.stop.take());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct What {
    router: Router,
    limits: Limits,
    protocol: Protocol,
}

async fn serve(
    listener: tokio::net::TcpListener,
    what: What,
    mut stopped: oneshot::Receiver<Infallible>,
) {
    let connections = Arc::new(Connections::default());
    let epoch = Instant::now();
    let (leave, leaving) = watch::channel(());
    let mut serving = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = serving.join_next() => continue,
            _ = &mut stopped => break,
        };
        let Ok((stream, _)) = accepted else {
            // out of file handles, most likely: trying again at once would only burn the processor
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        // answers are small, and whoever asks waits for them
        let _ = stream.set_nodelay(true);
        let connection = Arc::new(Connection::new(epoch));
        connections.add(&connection, what.limits.connections);
        let (connections, router) = (Arc::clone(&connections), what.router.clone());
        let (limits, protocol, mut leaving) = (what.limits, what.protocol, leaving.clone());
        serving.spawn(async move {
            let stream = Watched::new(stream, &connection);
            let left = async {
                let _ = leaving.changed().await;
            };
            match protocol {
                Protocol::Http1 => http1::serve(stream, router, limits, &connection, left).await,
                Protocol::Http2 => http2::serve(stream, router, limits, &connection, left).await,
            }
            connections.remove(&connection);
        });
        // whoever came first is answered before he may have to make room
        tokio::task::yield_now().await;
    }
    drop((listener, leave));
    let all = async { while serving.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(GRACE, all).await;
}
