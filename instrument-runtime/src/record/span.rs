//! Stages and requests as spans of `tracing`.
//!
//! Nothing of ours is locked or half done while a subscriber runs, and what it does itself makes no spans.

use crate::record::combo::{self, Combo};
use crate::record::guard::StageArgs;
use crate::record::local;
use crate::record::tally::Tally;
use crate::site::callsite::SpanKind;
use crate::site::site::Site;
use crate::vocab::outcome::Outcome;
use std::cell::Cell;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use tracing::field::Value;
use tracing::level_filters::LevelFilter;
use tracing::{Level, Span};

const STAGE: SpanKind = SpanKind {
    name: "inference.stage",
    level: Level::DEBUG,
    fields: &[
        "stage",
        "model",
        "version",
        "batch_size",
        OUTCOME,
        ERROR_TYPE,
    ],
};

const REQUEST: SpanKind = SpanKind {
    name: "inference.request",
    level: Level::INFO,
    fields: &[
        HANDLER, MODEL, VERSION, INGRESS, TIER, TENANT, OUTCOME, ERROR_TYPE,
    ],
};

const HANDLER: &str = "handler";
const MODEL: &str = "model";
const VERSION: &str = "version";
const INGRESS: &str = "ingress";
const TIER: &str = "tier";
const TENANT: &str = "tenant";
const OUTCOME: &str = "outcome";
const ERROR_TYPE: &str = "error_type";

thread_local! {
    /// A subscriber runs, for one of our spans.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Calls a subscriber. What is annotated in there makes no spans: that might never end.
fn ask<R>(subscriber: impl FnOnce() -> R) -> R {
    struct Asked(bool);
    impl Drop for Asked {
        fn drop(&mut self) {
            BUSY.set(self.0);
        }
    }
    let _asked = Asked(BUSY.replace(true));
    subscriber()
}

/// A span, or none where nobody wants it. It closes when the last one is dropped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Traced(
    // a subscriber does not decide whether a user's future is `UnwindSafe`
    Option<Arc<AssertUnwindSafe<Span>>>,
);

impl Traced {
    pub(crate) const NONE: Traced = Traced(None);

    /// Of a stage that is about to begin here.
    #[inline]
    pub(crate) fn stage(site: &'static Site, args: StageArgs) -> Traced {
        if STAGE.may_be_seen() {
            begin_stage(site, args.combo, None)
        } else {
            Traced::NONE
        }
    }

    /// Of one execution for all of these requests, which it follows from.
    pub(crate) fn batch(
        site: &'static Site,
        args: StageArgs,
        members: &[Option<Arc<Tally>>],
    ) -> Traced {
        if !STAGE.may_be_seen() {
            return Traced::NONE;
        }
        let of_member = || members.iter().flatten().next().map(|tally| tally.combo());
        let combo = match args.combo {
            0 => of_member().unwrap_or(0),
            named => named,
        };
        let batch = begin_stage(site, combo, Some(members.len() as u64));
        if let Some(span) = &batch.0 {
            for tally in members.iter().flatten() {
                if let Some(request) = &tally.span.get().0 {
                    ask(|| span.follows_from(request.id()));
                }
            }
        }
        batch
    }

    /// Of a request that is about to begin; without a handler where a layer opens it.
    pub(crate) fn request(site: &'static Site, handler: Option<&str>, combo: &Combo) -> Traced {
        if REQUEST.may_be_seen() {
            begin_request(site, handler, combo)
        } else {
            Traced::NONE
        }
    }

    /// Where this thread is within the request, unless that is the request itself.
    pub(crate) fn current_within(tally: &Tally) -> Traced {
        if LevelFilter::current() == LevelFilter::OFF {
            return Traced::NONE;
        }
        let current = ask(Span::current);
        let of_request = tally.span.get().0.as_ref().and_then(|span| span.id());
        if current.is_disabled() || current.id() == of_request {
            return Traced::NONE;
        }
        Traced(Some(Arc::new(AssertUnwindSafe(current))))
    }

    /// What runs on this thread is a part of it until the guard is dropped.
    #[inline]
    pub(crate) fn enter(&self) -> Inside {
        self.clone().into_entered()
    }

    /// The same, for those that enter it once.
    #[inline]
    pub(crate) fn into_entered(self) -> Inside {
        self.start();
        Inside(self)
    }

    /// The first half of [`enter`](Traced::enter).
    #[inline]
    pub(crate) fn start(&self) {
        if let Some(span) = &self.0 {
            change(span, true);
        }
    }

    /// The other half.
    #[inline]
    pub(crate) fn started(self) -> Inside {
        Inside(self)
    }

    /// What it shows has ended.
    #[inline]
    pub(crate) fn ended(&self, outcome: Outcome) {
        if let Some(span) = &self.0 {
            record_outcome(span, outcome);
        }
    }
}

impl Drop for Traced {
    #[inline]
    fn drop(&mut self) {
        if let Some(span) = self.0.take() {
            close(span);
        }
    }
}

/// This thread is inside of a span, or of none. Dropped on the thread on which it was entered.
#[derive(Debug, Default)]
pub(crate) struct Inside(Traced);

impl Inside {
    pub(crate) const NOWHERE: Inside = Inside(Traced::NONE);

    /// What the span shows has ended.
    #[inline]
    pub(crate) fn ended(self, outcome: Outcome) {
        self.0.ended(outcome);
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        if let Some(span) = &self.0.0 {
            change(span, false);
        }
    }
}

/// The span of a request, until that ends.
#[derive(Debug)]
pub(crate) struct RequestSpan {
    is_seen: bool,
    span: Mutex<Traced>,
}

impl RequestSpan {
    pub(crate) const NONE: RequestSpan = RequestSpan {
        is_seen: false,
        span: Mutex::new(Traced::NONE),
    };

    pub(crate) fn new(span: Traced) -> RequestSpan {
        RequestSpan {
            is_seen: span.0.is_some(),
            span: Mutex::new(span),
        }
    }

    pub(crate) fn get(&self) -> Traced {
        self.look(|span| span.clone())
    }

    /// The request ends.
    pub(crate) fn take(&self) -> Traced {
        self.look(std::mem::take)
    }

    fn look(&self, look: impl FnOnce(&mut Traced) -> Traced) -> Traced {
        if !self.is_seen {
            return Traced::NONE;
        }
        look(&mut self.span.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// More is known of the request: its labels, and who handles it.
    pub(crate) fn joined(&self, combo: u32, handler: Option<&'static Site>) {
        if let (Some(span), Some(combo)) = (&self.get().0, combo::get(combo)) {
            record_joined(span, &combo, handler);
        }
    }
}

/// Name and version of the model; `None` where nobody records.
fn names(combo: &Combo) -> Option<(Box<str>, Box<str>)> {
    let recorder = combo.recorder()?;
    Some(recorder.state().model_names(combo.labels.model))
}

fn begin(site: &'static Site, kind: &SpanKind, values: &[Option<&dyn Value>]) -> Traced {
    if BUSY.get() {
        return Traced::NONE;
    }
    ask(|| {
        let Some(metadata) = site.callsite.wanted(kind, site.module, site.at) else {
            return Traced::NONE;
        };
        let span = Span::new(metadata, &metadata.fields().value_set_all(values));
        Traced(Some(Arc::new(AssertUnwindSafe(span))))
    })
}

#[cold]
fn begin_stage(site: &'static Site, combo: u32, members: Option<u64>) -> Traced {
    let combo = match combo {
        0 => local::with(local::Local::combo),
        named => named,
    };
    let Some((model, version)) = combo::get(combo)
        .filter(|_| !site.spanless)
        .and_then(|combo| names(&combo))
    else {
        return Traced::NONE;
    };
    let members = members.as_ref().map(|members| members as &dyn Value);
    let values: [Option<&dyn Value>; 6] = [
        Some(&site.name),
        Some(&model),
        Some(&version),
        members,
        None,
        None,
    ];
    begin(site, &STAGE, &values)
}

#[cold]
fn begin_request(site: &'static Site, handler: Option<&str>, combo: &Combo) -> Traced {
    let Some((model, version)) = names(combo).filter(|_| !site.spanless) else {
        return Traced::NONE;
    };
    let labels = &combo.labels;
    let texts = [
        handler,
        Some(&*model),
        Some(&*version),
        labels.ingress.as_deref(),
        labels.tier.as_deref(),
        labels.tenant.as_deref(),
        None,
        None,
    ];
    let values = texts.each_ref().map(|text| Some(text as &dyn Value));
    begin(site, &REQUEST, &values)
}

#[cold]
fn record_joined(span: &Span, combo: &Combo, handler: Option<&'static Site>) {
    let Some((model, version)) = names(combo) else {
        return;
    };
    let labels = &combo.labels;
    let texts = [
        (HANDLER, handler.map(|site| site.name)),
        (MODEL, Some(&*model)),
        (VERSION, Some(&*version)),
        (INGRESS, labels.ingress.as_deref()),
        (TIER, labels.tier.as_deref()),
        (TENANT, labels.tenant.as_deref()),
    ];
    ask(|| {
        for (field, text) in texts {
            if let Some(text) = text {
                span.record(field, text);
            }
        }
    });
}

#[cold]
fn record_outcome(span: &Span, outcome: Outcome) {
    ask(|| {
        span.record(OUTCOME, outcome.as_str());
        if let Outcome::Error(error) = outcome {
            span.record(ERROR_TYPE, error.as_str());
        }
    });
}

#[cold]
fn change(span: &Span, enters: bool) {
    ask(|| {
        span.with_subscriber(|(id, subscriber)| {
            if enters {
                subscriber.enter(id);
            } else {
                subscriber.exit(id);
            }
        });
    });
}

#[cold]
fn close(span: Arc<AssertUnwindSafe<Span>>) {
    ask(|| drop(span));
}
