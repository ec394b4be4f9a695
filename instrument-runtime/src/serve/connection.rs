//! The connections of one listener: who is idle, who makes room, and for whom time is up.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// The number of a connection, as an extension of its requests: what one client may have is counted by it. No two
/// connections of a process share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ConnectionId(pub(crate) u64);

impl ConnectionId {
    fn next() -> ConnectionId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        ConnectionId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// What begins every HTTP/2 connection, in bytes.
const PREFACE: u64 = 24;

/// One connection, as the others see it. Times are milliseconds after `epoch`, plus one; 0 stands for never.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) id: ConnectionId,
    /// It is to make room.
    pub(crate) close: Notify,
    epoch: Instant,
    /// Bytes that have arrived.
    heard: AtomicU64,
    /// Since when the head of a request is arriving.
    heading: AtomicU64,
    /// Since when nothing could be written.
    blocked: AtomicU64,
    /// Requests under way.
    busy: AtomicU64,
    /// When it last began or ended a request.
    touched: AtomicU64,
}

impl Connection {
    pub(crate) fn new(epoch: Instant) -> Connection {
        let connection = Connection {
            id: ConnectionId::next(),
            close: Notify::new(),
            epoch,
            heard: AtomicU64::new(0),
            heading: AtomicU64::new(0),
            blocked: AtomicU64::new(0),
            busy: AtomicU64::new(0),
            touched: AtomicU64::new(0),
        };
        // who connects has something to ask
        connection
            .heading
            .store(connection.now(), Ordering::Relaxed);
        connection
            .touched
            .store(connection.now(), Ordering::Relaxed);
        connection
    }

    fn now(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_millis()).map_or(u64::MAX, |millis| millis + 1)
    }

    pub(crate) fn heard(&self, bytes: usize) {
        self.heard.fetch_add(bytes as u64, Ordering::Relaxed);
        // between two requests, what arrives is the beginning of the next
        if bytes > 0 && self.busy.load(Ordering::Relaxed) == 0 {
            set_first(&self.heading, self.now());
        }
    }

    pub(crate) fn wrote(&self, could: bool) {
        if could {
            self.blocked.store(0, Ordering::Relaxed);
        } else {
            set_first(&self.blocked, self.now());
        }
    }

    pub(crate) fn begin(&self) {
        self.heading.store(0, Ordering::Relaxed);
        self.touched.store(self.now(), Ordering::Relaxed);
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.touched.store(self.now(), Ordering::Relaxed);
        self.busy.fetch_sub(1, Ordering::Relaxed);
    }

    /// How long an HTTP/1 connection has left if nothing happens.
    pub(crate) fn left_http1(&self, limits: Limits) -> Duration {
        let heading = self.heading.load(Ordering::Relaxed);
        let (since, longest) = if self.busy.load(Ordering::Relaxed) > 0 {
            (self.touched.load(Ordering::Relaxed), limits.request)
        } else if heading > 0 {
            (heading, limits.header)
        } else {
            (self.touched.load(Ordering::Relaxed), limits.idle)
        };
        self.left(since, longest).min(self.left_unread(limits))
    }

    /// How long an HTTP/2 connection has left if nothing happens. Streams may be open for ever: pings find those that
    /// nobody listens to.
    pub(crate) fn left_http2(&self, limits: Limits) -> Duration {
        let (since, longest) = if self.heard.load(Ordering::Relaxed) < PREFACE {
            (self.heading.load(Ordering::Relaxed), limits.header)
        } else if self.busy.load(Ordering::Relaxed) > 0 {
            return self.left_unread(limits);
        } else {
            (self.touched.load(Ordering::Relaxed), limits.idle)
        };
        self.left(since, longest).min(self.left_unread(limits))
    }

    /// Until an answer that nobody reads is given up.
    fn left_unread(&self, limits: Limits) -> Duration {
        match self.blocked.load(Ordering::Relaxed) {
            0 => Duration::MAX,
            since => self.left(since, limits.request),
        }
    }

    fn left(&self, since: u64, longest: Duration) -> Duration {
        longest.saturating_sub(Duration::from_millis(self.now().saturating_sub(since)))
    }

    /// Ends when the connection's time is up.
    pub(crate) async fn overdue(&self, limits: Limits, left: fn(&Connection, Limits) -> Duration) {
        loop {
            let left = left(self, limits);
            if left.is_zero() {
                return;
            }
            // what happens meanwhile may leave less
            let soonest = limits.header.min(limits.request).min(limits.idle) / 2;
            tokio::time::sleep(left.min(soonest).max(SHORTEST_SLEEP)).await;
        }
    }
}

/// Limits of nothing are not to burn the processor.
const SHORTEST_SLEEP: Duration = Duration::from_millis(1);

fn set_first(since: &AtomicU64, now: u64) {
    let _ = since.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
}

/// What a listener may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Connections at one time. When there are that many, the one that was idle longest makes room.
    pub(crate) connections: usize,
    /// How long the head of a request may take to arrive; of HTTP/2 the preface.
    pub(crate) header: Duration,
    /// How long a request may take in all until its answer was read; of HTTP/2 until its answer begins.
    pub(crate) request: Duration,
    /// How long a connection without a request is kept.
    pub(crate) idle: Duration,
    /// How often the other side of HTTP/2 is asked whether it is there; `request` is how long it may take to say so.
    pub(crate) ping: Duration,
}

impl Limits {
    /// Of the health address: small, and quick to drop who is slow.
    pub(crate) const HEALTH: Limits = Limits {
        connections: 64,
        header: Duration::from_secs(2),
        ..Limits::OTHERS
    };
    /// Of the control plane and of metrics.
    pub(crate) const OTHERS: Limits = Limits {
        connections: 128,
        header: Duration::from_secs(5),
        request: Duration::from_secs(5),
        // longer than any usual period of probes and scrapes: whoever polls keeps its connection
        idle: Duration::from_secs(5 * 60),
        ping: Duration::from_secs(30),
    };
}

/// The connections of one listener.
#[derive(Debug, Default)]
pub(crate) struct Connections(Mutex<Vec<Arc<Connection>>>);

impl Connections {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<Connection>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one in; when there are too many, the one that was idle longest, else busy longest, is closed.
    pub(crate) fn add(&self, connection: &Arc<Connection>, most: usize) {
        let mut all = self.all();
        if all.len() >= most {
            let oldest = |connection: &&Arc<Connection>| {
                (
                    connection.busy.load(Ordering::Relaxed) > 0,
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

    pub(crate) fn remove(&self, connection: &Arc<Connection>) {
        self.all().retain(|one| !Arc::ptr_eq(one, connection));
    }
}
