//! Requests that are waited for, from several clients at once.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Bytes;
use tokio::task::JoinSet;

use crate::client::Client;
use crate::quickstart::error::DemoError;
use crate::quickstart::seen::Seen;

/// Who calls: API keys and the tenants that they stand for. Clients take them in turn.
const CALLERS: [(Option<&str>, &str); 4] = [
    (Some("demo-acme"), "acme"),
    (Some("demo-globex"), "globex"),
    (Some("demo-acme"), "acme"),
    (None, ANONYMOUS),
];

/// Who calls without a key.
pub(crate) const ANONYMOUS: &str = "anonymous";

/// One upload, and the digit that it shows; `None` where it shows none.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) upload: Bytes,
    pub(crate) digit: Option<u8>,
}

/// This many clients share the jobs, each waiting for an answer before it sends the next.
pub(crate) async fn send_all(
    http: SocketAddr,
    path: &str,
    clients: usize,
    jobs: &Arc<Vec<Job>>,
) -> Result<Seen, DemoError> {
    let mut running = JoinSet::new();
    for first in 0..clients {
        let (jobs, path) = (Arc::clone(jobs), path.to_owned());
        let (key, tenant) = CALLERS[first % CALLERS.len()];
        running.spawn(async move {
            let mut client = Client::new(http).with_key(key);
            let mut seen = Seen::default();
            for Job { upload, digit } in jobs.iter().skip(first).step_by(clients).cloned() {
                let reply = client.post(&path, upload).await?;
                seen.look(tenant, digit, &reply)?;
            }
            Ok::<_, DemoError>(seen)
        });
    }
    let mut all = Seen::default();
    while let Some(ended) = running.join_next().await {
        all.extend(&ended.expect("clients do not panic")?);
    }
    Ok(all)
}
