//! How many watches are open: in all, and over each connection.

use crate::serve::connection::ConnectionId;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many watches may be open at one time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WatchLimits {
    pub(crate) per_connection: u64,
    pub(crate) total: u64,
}

/// What tells connections apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Peer {
    /// Over a server of ours.
    Connection(ConnectionId),
    /// Over the service's own server, which knows the other side's address and port.
    Address(SocketAddr),
}

/// Gives out seats. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Seats(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limits: WatchLimits,
    /// Written under the lock, read without.
    taken: Arc<AtomicU64>,
    /// Only connections that have a watch.
    by_peer: Mutex<HashMap<Peer, u64>>,
}

/// The place of one watch, free again when dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    seats: Seats,
    peer: Option<Peer>,
}

impl Seats {
    /// `taken` counts those that are taken, for whoever shows it.
    pub(crate) fn new(limits: WatchLimits, taken: Arc<AtomicU64>) -> Seats {
        Seats(Arc::new(Inner {
            limits,
            taken,
            by_peer: Mutex::default(),
        }))
    }

    /// A seat, where there is one. Without a peer only the total counts.
    pub(crate) fn take(&self, peer: Option<Peer>) -> Option<Seat> {
        let limits = self.0.limits;
        let mut by_peer = self.by_peer();
        if self.0.taken.load(Ordering::Relaxed) >= limits.total {
            return None;
        }
        if let Some(peer) = peer {
            let mine = by_peer.get(&peer).copied().unwrap_or_default();
            if mine >= limits.per_connection {
                return None;
            }
            by_peer.insert(peer, mine + 1);
        }
        self.0.taken.fetch_add(1, Ordering::Relaxed);
        Some(Seat {
            seats: self.clone(),
            peer,
        })
    }

    fn by_peer(&self) -> MutexGuard<'_, HashMap<Peer, u64>> {
        self.0
            .by_peer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut by_peer = self.seats.by_peer();
        self.seats.0.taken.fetch_sub(1, Ordering::Relaxed);
        if let Some(peer) = self.peer
            && let Some(mine) = by_peer.get_mut(&peer)
        {
            *mine -= 1;
            if *mine == 0 {
                by_peer.remove(&peer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(number: u64) -> Peer {
        Peer::Connection(ConnectionId(number))
    }

    #[test]
    fn a_connection_has_its_seats_and_all_of_them_have_theirs() {
        let taken = Arc::<AtomicU64>::default();
        let limits = WatchLimits {
            per_connection: 2,
            total: 3,
        };
        let seats = Seats::new(limits, Arc::clone(&taken));
        let first = [seats.take(Some(peer(1))), seats.take(Some(peer(1)))];
        assert!(first.iter().all(Option::is_some));
        assert!(seats.take(Some(peer(1))).is_none());
        let last = seats.take(Some(peer(2)));
        assert!(last.is_some() && seats.take(Some(peer(2))).is_none());
        assert!(seats.take(None).is_none());
        assert_eq!(taken.load(Ordering::Relaxed), 3);
        drop(first);
        assert!(seats.take(Some(peer(1))).is_some());
        assert_eq!(taken.load(Ordering::Relaxed), 1);
        drop(last);
        assert_eq!(taken.load(Ordering::Relaxed), 0);
        assert!(seats.by_peer().is_empty());
    }
}
