//! Without `tracing`, there are no spans.

use crate::vocab::outcome::Outcome;

/// None.
#[derive(Debug, Clone, Default)]
pub(crate) struct Traced;

impl Traced {
    pub(crate) const NONE: Traced = Traced;

    #[inline]
    pub(crate) fn enter(&self) -> Inside {
        Inside
    }

    #[inline]
    pub(crate) fn into_entered(self) -> Inside {
        Inside
    }

    pub(crate) fn park_entered(self) {}

    #[inline]
    pub(crate) const fn is_some(&self) -> bool {
        false
    }

    #[inline]
    pub(crate) fn ended(&self, _: Outcome) {}
}

/// Nowhere.
#[derive(Debug, Default)]
pub(crate) struct Inside;

impl Inside {
    pub(crate) const NOWHERE: Inside = Inside;

    #[inline]
    pub(crate) const fn is_some(&self) -> bool {
        false
    }

    pub(crate) fn park(self) {}

    pub(crate) fn unpark() -> Inside {
        Inside
    }

    #[inline]
    pub(crate) fn ended(self, _: Outcome) {}

    pub(crate) fn leave(self) -> Traced {
        Traced
    }
}

// where there are spans, dropping it by name ends something
impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {}
}

/// None.
#[derive(Debug)]
pub(crate) struct RequestSpan;

impl RequestSpan {
    pub(crate) fn new(_: Traced) -> RequestSpan {
        RequestSpan
    }

    pub(crate) fn get(&self) -> Traced {
        Traced
    }

    pub(crate) fn take(&self) -> Traced {
        Traced
    }
}
