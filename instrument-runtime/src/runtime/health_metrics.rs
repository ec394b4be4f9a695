//! How the service is, among its metrics.

use crate::collect::health::{self, HealthFacts};
use crate::runtime::health::HealthService;
use crate::runtime::recording::Recording;
use std::sync::Arc;

/// From now on they are there.
pub(crate) fn show(recording: Option<&Recording>, health: &HealthService) {
    let Some(recording) = recording else { return };
    let facts = HealthFacts {
        board: health.board().clone(),
        stats: health.stats().to_vec(),
        restarts: Arc::clone(health.restarts()),
        watch_streams: Arc::clone(health.watch_streams()),
        heartbeat: health.heartbeat().cloned(),
    };
    health::observe(&recording.recorder.instruments.meter(), &facts);
}
