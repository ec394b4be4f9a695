//! A connection that knows since when its other side has not read.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Since when nothing could be written, in milliseconds after the server started, plus one; 0 while it can.
#[derive(Debug, Default)]
pub(crate) struct Blocked(AtomicU64);

impl Blocked {
    /// For how many milliseconds, at `now`.
    pub(crate) fn for_millis(&self, now: u64) -> u64 {
        match self.0.load(Ordering::Relaxed) {
            0 => 0,
            since => (now + 1).saturating_sub(since),
        }
    }
}

pub(crate) fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// The connection.
#[derive(Debug)]
pub(crate) struct Watched {
    stream: TcpStream,
    blocked: Arc<Blocked>,
    started: Instant,
}

impl Watched {
    pub(crate) fn new(stream: TcpStream, blocked: Arc<Blocked>, started: Instant) -> Watched {
        Watched {
            stream,
            blocked,
            started,
        }
    }

    fn wrote<T>(&self, polled: Poll<T>) -> Poll<T> {
        let blocked = &self.blocked.0;
        match polled {
            Poll::Ready(_) => blocked.store(0, Ordering::Relaxed),
            Poll::Pending => {
                let since = millis(self.started) + 1;
                // the first time counts
                let _ = blocked.compare_exchange(0, since, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
        polled
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.wrote(polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.wrote(polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
