//! A runtime for async checks, where the service has none.

use std::thread::Builder;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// One thread that runs async checks. Ends when dropped, whatever hangs in it.
pub(crate) struct CheckRuntime {
    handle: Handle,
    _stop: oneshot::Sender<()>,
}

impl CheckRuntime {
    /// # Errors
    /// When the system has no thread or file handle left.
    pub(crate) fn start() -> std::io::Result<CheckRuntime> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        Builder::new()
            .name("instrument-checks".to_owned())
            .spawn(move || {
                let _ = runtime.block_on(stopped);
                runtime.shutdown_background();
            })?;
        Ok(CheckRuntime {
            handle,
            _stop: stop,
        })
    }

    pub(crate) fn handle(&self) -> Handle {
        self.handle.clone()
    }
}
