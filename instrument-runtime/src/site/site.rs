//! A site: the place in the user's code that an attribute marks.

use crate::site::callsite::SiteCallsite;
use crate::site::own_labels::{MOST_KEYS, OwnLabels};
use crate::site::series_table::SeriesTable;
use crate::vocab::buckets::Buckets;
use crate::vocab::stage::is_execution;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::AtomicBool;

/// Every site that is linked into the program, called or not.
#[linkme::distributed_slice]
pub static SITES: [Site];

/// What an attribute marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SiteKind {
    Stage,
    Request,
}

/// What is known of the labels of a site's requests before the first one, so that their series can exist at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreknown {
    /// `ingress` as a literal, or that it is not given.
    Ingress(Option<&'static str>),
    /// They follow from expressions.
    Nothing,
}

/// What an attribute leaves in the user's code: one `static`, made at compile time.
#[derive(Debug)]
pub struct Site {
    pub(crate) kind: SiteKind,
    /// The stage's name, or the handler's.
    pub(crate) name: &'static str,
    pub(crate) module: &'static str,
    pub(crate) at: &'static Location<'static>,
    pub(crate) keys: &'static [&'static str],
    pub(crate) buckets: Option<Buckets>,
    /// Nanoseconds.
    pub(crate) objective: Option<u64>,
    /// Nanoseconds.
    pub(crate) stall: Option<u64>,
    /// The model is named at the site, so nothing is known about it before it is used.
    pub(crate) names_model: bool,
    pub(crate) foreknown: Foreknown,
    pub(crate) execution: bool,
    pub(crate) root: bool,
    pub(crate) callsite: SiteCallsite,
    /// Somebody was told that it runs outside of any request.
    pub(crate) told: AtomicBool,
    pub(crate) own: OwnLabels,
    pub(crate) series: SeriesTable,
}

impl Site {
    /// A site of `#[inference_stage("name")]`.
    #[track_caller]
    #[must_use]
    pub const fn stage(name: &'static str, module: &'static str) -> Site {
        let mut site = Site::new(SiteKind::Stage, name, module);
        site.execution = is_execution(name);
        site
    }

    /// A site of `#[inference_request]` on the function `name`.
    #[track_caller]
    #[must_use]
    pub const fn request(name: &'static str, module: &'static str) -> Site {
        Site::new(SiteKind::Request, name, module)
    }

    #[track_caller]
    const fn new(kind: SiteKind, name: &'static str, module: &'static str) -> Site {
        Site {
            kind,
            name,
            module,
            at: Location::caller(),
            keys: &[],
            buckets: None,
            objective: None,
            stall: None,
            names_model: false,
            foreknown: Foreknown::Ingress(None),
            execution: false,
            root: false,
            callsite: SiteCallsite::new(),
            told: AtomicBool::new(false),
            own: OwnLabels::new(),
            series: SeriesTable::new(),
        }
    }

    /// `buckets = …`
    #[must_use]
    pub const fn buckets(mut self, buckets: Buckets) -> Site {
        self.buckets = Some(buckets);
        self
    }

    /// `objective = "…"`, in nanoseconds.
    #[must_use]
    pub const fn objective(mut self, nanos: u64) -> Site {
        self.objective = Some(nanos);
        self
    }

    /// `stall = "…"`, in nanoseconds.
    #[must_use]
    pub const fn stall(mut self, nanos: u64) -> Site {
        self.stall = Some(nanos);
        self
    }

    /// The keys of `labels(…)`.
    ///
    /// # Panics
    /// At compile time, when there are more than eight.
    #[track_caller]
    #[must_use]
    pub const fn labels(mut self, keys: &'static [&'static str]) -> Site {
        assert!(
            keys.len() <= MOST_KEYS,
            "a site has at most 8 labels of its own"
        );
        self.keys = keys;
        self
    }

    /// `ingress = "…"`, where it is a literal.
    #[must_use]
    pub const fn ingress(mut self, ingress: &'static str) -> Site {
        self.foreknown = Foreknown::Ingress(Some(ingress));
        self
    }

    /// `ingress` or `tier` is an expression.
    #[must_use]
    pub const fn varies(mut self) -> Site {
        self.foreknown = Foreknown::Nothing;
        self
    }

    /// `model = …` is given.
    #[must_use]
    pub const fn names_model(mut self) -> Site {
        self.names_model = true;
        self
    }

    /// `device`: the stage is an execution.
    #[must_use]
    pub const fn device(mut self) -> Site {
        self.execution = true;
        self
    }

    /// `root`: a request of its own even inside another.
    #[must_use]
    pub const fn root(mut self) -> Site {
        self.root = true;
        self
    }

    /// `no_span`: it is no span of `tracing`.
    #[must_use]
    pub const fn no_span(mut self) -> Site {
        self.callsite.refuse();
        self
    }
}

/// Where the attribute stands, for messages: `src/main.rs:12 (in service::predict)`.
impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{} (in {})",
            self.at.file(),
            self.at.line(),
            self.module
        )
    }
}
