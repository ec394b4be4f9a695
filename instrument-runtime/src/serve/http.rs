//! A small HTTP server on a thread of its own, with limits that keep it small whatever clients do.

use crate::serve::watched::{Blocked, Watched, millis};
use axum::Router;
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, oneshot};

/// What a server may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Connections at one time. When there are that many, the one that was idle longest makes room.
    pub(crate) connections: usize,
    /// How long the head of a request may take to arrive.
    pub(crate) header: Duration,
    /// How long a request may take in all, until its answer was read.
    pub(crate) request: Duration,
}

/// Ends when dropped.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves `router` on a socket that is bound already.
    ///
    /// # Errors
    /// When the system has no thread or file handle left.
    pub(crate) fn start(
        name: &str,
        listener: TcpListener,
        router: Router,
        limits: Limits,
    ) -> io::Result<Server> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        // one worker, and one thread for what takes long: the rest of the process must not notice
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(1)
            .build()?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                runtime.block_on(serve(listener, router, limits, stopped));
                // an answer that is still being made is not waited for
                runtime.shutdown_background();
            })?;
        Ok(Server {
            address,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// One connection, as the others see it.
#[derive(Debug)]
struct Connection {
    close: Notify,
    /// Milliseconds since the server started: when it last began or ended a request.
    touched: AtomicU64,
    /// Requests under way: 0 or 1, since HTTP/1 has one at a time.
    busy: AtomicU64,
    blocked: Arc<Blocked>,
}

#[derive(Debug, Default)]
struct Connections(Mutex<Vec<Arc<Connection>>>);

impl Connections {
    fn all(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Connection>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one in; when there are too many, the one that was idle longest, else busy longest, is closed.
    fn add(&self, connection: &Arc<Connection>, most: usize) {
        let mut all = self.all();
        if all.len() >= most {
            let oldest = |connection: &&Arc<Connection>| {
                (
                    connection.busy.load(Ordering::Relaxed),
                    connection.touched.load(Ordering::Relaxed),
                )
            };
            if let Some(oldest) = all.iter().min_by_key(oldest).map(Arc::clone) {
                oldest.close.notify_one();
                all.retain(|one| !Arc::ptr_eq(one, &oldest));
            }
        }
        all.push(Arc::clone(connection));
    }

    fn remove(&self, connection: &Arc<Connection>) {
        self.all().retain(|one| !Arc::ptr_eq(one, connection));
    }
}

async fn serve(
    listener: tokio::net::TcpListener,
    router: Router,
    limits: Limits,
    mut stopped: oneshot::Receiver<()>,
) {
    let connections = Arc::new(Connections::default());
    let started = Instant::now();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = &mut stopped => return,
        };
        let Ok((stream, _)) = accepted else {
            // out of file handles, most likely: trying again at once would only burn the processor
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let touched = AtomicU64::new(millis(started));
        let connection = Arc::new(Connection {
            close: Notify::new(),
            touched,
            busy: AtomicU64::new(0),
            blocked: Arc::default(),
        });
        connections.add(&connection, limits.connections);
        let (connections, router) = (Arc::clone(&connections), router.clone());
        tokio::spawn(async move {
            one(stream, router, limits, &connection, started).await;
            connections.remove(&connection);
        });
    }
}

/// Serves one connection until it ends, is told to close, or stands still in the middle of a request.
async fn one(
    stream: tokio::net::TcpStream,
    router: Router,
    limits: Limits,
    connection: &Arc<Connection>,
    started: Instant,
) {
    let shared = Arc::clone(connection);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let (router, connection) = (
            TowerToHyperService::new(router.clone()),
            Arc::clone(&shared),
        );
        async move {
            connection.touched.store(millis(started), Ordering::Relaxed);
            connection.busy.store(1, Ordering::Relaxed);
            let answer = router.call(request).await;
            connection.busy.store(0, Ordering::Relaxed);
            connection.touched.store(millis(started), Ordering::Relaxed);
            answer
        }
    });
    let stream = Watched::new(stream, Arc::clone(&connection.blocked), started);
    let serving = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header)
        .serve_connection(TokioIo::new(stream), service);
    let stuck = async {
        loop {
            tokio::time::sleep(limits.request).await;
            let now = millis(started);
            let since = now.saturating_sub(connection.touched.load(Ordering::Relaxed));
            let busy = connection.busy.load(Ordering::Relaxed) != 0;
            // an answer that is not made in time, or that nobody reads
            let longest = if busy {
                since
            } else {
                connection.blocked.for_millis(now)
            };
            if u128::from(longest) >= limits.request.as_millis() {
                return;
            }
        }
    };
    tokio::select! {
        _ = serving => {}
        () = connection.close.notified() => {}
        () = stuck => {}
    }
}
