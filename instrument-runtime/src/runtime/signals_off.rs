//! Where there are no Unix signals, Ctrl-C is left to the service.

use crate::health::board::Board;
use std::io;
use std::time::Duration;

/// There are none.
pub(crate) enum Signals {}

impl Signals {
    pub(crate) fn catch(_: Board, _: Duration) -> io::Result<()> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "`handle_signals` works on Unix only: call `drain()` when the service is to end",
        ))
    }
}
