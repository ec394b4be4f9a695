//! What the addresses of ours may hold, whatever clients do.

/// What the addresses of ours may hold: `TelemetryBuilder::limits` changes it.
///
/// When a listener has as many connections as it may have, the one that was idle longest makes room; a new one is never
/// refused. A stream too many is refused with `RESOURCE_EXHAUSTED`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "give it back"]
pub struct ServeLimits {
    pub(crate) health_connections: usize,
    pub(crate) control_connections: usize,
    pub(crate) metrics_connections: usize,
    pub(crate) watch_streams_per_connection: usize,
    pub(crate) watch_streams: usize,
}

impl ServeLimits {
    pub(crate) const DEFAULT: ServeLimits = ServeLimits {
        health_connections: 64,
        control_connections: 128,
        metrics_connections: 128,
        watch_streams_per_connection: 64,
        watch_streams: 1_024,
    };

    /// Connections of the health address; 64 when nothing is said. At least 1.
    pub const fn health_connections(mut self, connections: usize) -> ServeLimits {
        self.health_connections = at_least_one(connections);
        self
    }

    /// Connections of the control plane; 128 when nothing is said. At least 1.
    pub const fn control_connections(mut self, connections: usize) -> ServeLimits {
        self.control_connections = at_least_one(connections);
        self
    }

    /// Connections of the metrics address; 128 when nothing is said. At least 1.
    pub const fn metrics_connections(mut self, connections: usize) -> ServeLimits {
        self.metrics_connections = at_least_one(connections);
        self
    }

    /// Streams of `Watch` that one connection may have; 64 when nothing is said.
    pub const fn watch_streams_per_connection(mut self, streams: usize) -> ServeLimits {
        self.watch_streams_per_connection = streams;
        self
    }

    /// Streams of `Watch` in all; 1,024 when nothing is said.
    pub const fn watch_streams(mut self, streams: usize) -> ServeLimits {
        self.watch_streams = streams;
        self
    }
}

const fn at_least_one(number: usize) -> usize {
    if number == 0 { 1 } else { number }
}
