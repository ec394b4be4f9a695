//! Which connection a request has come over.

/// One connection of this process, never used again. The server puts it into the extensions of each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ConnectionId(pub(crate) u64);
