//! A stage that is open: two plain words, so that it lives in registers.

use crate::record::clock::real_ticks;
use crate::record::series::{self, Series, SeriesId};

/// Which series it is of, in which request it began, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Open {
    pub(crate) id: SeriesId,
    /// The request that it belongs to; 0 for none.
    pub(crate) serial: u32,
    /// Ticks.
    pub(crate) start: u64,
}

impl Open {
    /// Nobody records.
    pub(crate) const NONE: Open = Open {
        id: SeriesId::NONE,
        serial: 0,
        start: 0,
    };

    #[inline]
    pub(crate) const fn is_some(self) -> bool {
        !self.id.is_none()
    }
}

/// The time of the runtime that a series belongs to.
#[inline]
pub(crate) fn ticks(id: SeriesId) -> u64 {
    if id.is_manual() {
        manual_ticks(id)
    } else {
        real_ticks()
    }
}

#[cold]
fn manual_ticks(id: SeriesId) -> u64 {
    match series::get(id).as_deref() {
        Some(Series::Stage(stage)) => stage.clock.ticks(),
        _ => 0,
    }
}
