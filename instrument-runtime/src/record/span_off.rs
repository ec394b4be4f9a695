//! Without `tracing`, there are no spans.

use crate::record::combo::Combo;
use crate::record::guard::StageArgs;
use crate::record::tally::Tally;
use crate::site::site::Site;
use crate::vocab::outcome::Outcome;
use std::sync::Arc;

/// None.
#[derive(Debug, Clone, Default)]
pub(crate) struct Traced;

impl Traced {
    pub(crate) const NONE: Traced = Traced;

    #[inline]
    pub(crate) fn stage(_: &'static Site, _: StageArgs) -> Traced {
        Traced
    }

    pub(crate) fn batch(_: &'static Site, _: StageArgs, _: &[Option<Arc<Tally>>]) -> Traced {
        Traced
    }

    pub(crate) fn request(_: &'static Site, _: Option<&str>, _: &Combo) -> Traced {
        Traced
    }

    pub(crate) fn current_within(_: &Tally) -> Traced {
        Traced
    }

    #[inline]
    pub(crate) fn enter(&self) -> Inside {
        Inside
    }

    #[inline]
    pub(crate) fn into_entered(self) -> Inside {
        Inside
    }

    #[inline]
    pub(crate) fn start(&self) {}

    #[inline]
    pub(crate) fn started(self) -> Inside {
        Inside
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
    pub(crate) fn ended(self, _: Outcome) {}
}

// it ends something where there are spans, so dropping it by name means something here too
impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {}
}

/// None.
#[derive(Debug)]
pub(crate) struct RequestSpan;

impl RequestSpan {
    pub(crate) const NONE: RequestSpan = RequestSpan;

    pub(crate) fn new(_: Traced) -> RequestSpan {
        RequestSpan
    }

    pub(crate) fn get(&self) -> Traced {
        Traced
    }

    pub(crate) fn take(&self) -> Traced {
        Traced
    }

    pub(crate) fn joined(&self, _: u32, _: Option<&'static Site>) {}
}
