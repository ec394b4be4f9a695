//! What a request tells of itself to logs and traces, beside its labels.

use crate::vocab::trace_id::TraceId;
use std::sync::OnceLock;

/// Each is told once: the first one counts.
#[derive(Debug, Default)]
pub(crate) struct Told {
    route: OnceLock<Box<str>>,
    /// Looked for once: later, this thread may be in a trace of somebody else.
    trace: OnceLock<Option<TraceId>>,
}

impl Told {
    /// As far as it is known when the request begins; most tell nothing, and pay nothing for it.
    #[inline]
    pub(crate) fn of(route: Option<Box<str>>, trace: Option<TraceId>) -> Option<Box<Told>> {
        if route.is_none() && trace.is_none() {
            return None;
        }
        Some(Box::new(Told {
            route: route.map_or_else(OnceLock::new, OnceLock::from),
            trace: trace.map_or_else(OnceLock::new, |trace| Some(trace).into()),
        }))
    }

    pub(crate) fn route(&self) -> Option<&str> {
        self.route.get().map(|route| &**route)
    }

    /// Whether that is new.
    pub(crate) fn set_route(&self, route: Box<str>) -> bool {
        self.route.set(route).is_ok()
    }

    pub(crate) fn trace(&self) -> Option<TraceId> {
        self.trace.get().copied().flatten()
    }

    /// Looks for the trace, unless that was done before.
    pub(crate) fn look_for_trace(&self, look: impl FnOnce() -> Option<TraceId>) {
        self.trace.get_or_init(look);
    }
}
