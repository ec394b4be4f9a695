//! The signals by which a process is asked to end.

use crate::health::board::Board;
use std::io;
use std::thread::Builder;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a shell says when a process was interrupted.
const INTERRUPTED: i32 = 130;

/// Catches them, on a thread of its own, as long as the process lives: once caught they are never let through again, and
/// a person who waits for what comes after the stop can still end it.
pub(crate) enum Signals {}

impl Signals {
    /// From now on SIGTERM begins the drain, and a second one ends its delay. SIGINT is a person who waits: no delay, and
    /// a second one ends the process.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn catch(board: Board, delay: Duration) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        // before this returns: a signal that comes during the load of a model is not to kill
        let (terminate, interrupt) = {
            let _inside = runtime.enter();
            (
                signal(SignalKind::terminate())?,
                signal(SignalKind::interrupt())?,
            )
        };
        Builder::new()
            .name("instrument-signals".to_owned())
            .spawn(move || runtime.block_on(listen(&board, delay, terminate, interrupt)))?;
        Ok(())
    }
}

async fn listen(board: &Board, delay: Duration, mut terminate: Signal, mut interrupt: Signal) {
    let (mut terminated, mut interrupted) = (false, false);
    loop {
        tokio::select! {
            Some(()) = terminate.recv() => {
                board.drain(if terminated { Duration::ZERO } else { delay });
                terminated = true;
            }
            Some(()) = interrupt.recv() => {
                if interrupted {
                    std::process::exit(INTERRUPTED);
                }
                board.drain(Duration::ZERO);
                interrupted = true;
            }
            else => return,
        }
    }
}
