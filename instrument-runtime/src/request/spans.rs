//! Stages and requests as spans of `tracing`: when there is one, and what it says.

use crate::record::combo::{self, Combo};
use crate::record::guard::StageArgs;
use crate::record::local;
use crate::record::recorder::RequestLabels;
use crate::record::span::{ERROR_TYPE, OUTCOME, Traced};
use crate::record::tally::Tally;
use crate::record::told::Told;
use crate::site::callsite::SpanKind;
use crate::site::site::Site;
use std::sync::Arc;
use tracing::Level;
use tracing::field::Value;
use tracing::level_filters::LevelFilter;

const STAGE: SpanKind = SpanKind {
    name: "inference.stage",
    level: Level::DEBUG,
    fields: &["stage", MODEL, VERSION, "batch_size", OUTCOME, ERROR_TYPE],
};

const REQUEST: SpanKind = SpanKind {
    name: "inference.request",
    level: Level::INFO,
    fields: &[
        HANDLER, MODEL, VERSION, INGRESS, TIER, TENANT, ROUTE, TRACE_ID, OUTCOME, ERROR_TYPE,
    ],
};

const HANDLER: &str = "handler";
const MODEL: &str = "model";
const VERSION: &str = "version";
const INGRESS: &str = "ingress";
const TIER: &str = "tier";
const TENANT: &str = "tenant";
const ROUTE: &str = "route";
/// Of the caller's trace: spans know their own.
const TRACE_ID: &str = "trace_id";

/// Whether anybody may look at the spans of stages.
#[inline]
pub(crate) fn stages_may_be_seen() -> bool {
    STAGE.may_be_seen()
}

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
    if batch.is_some() {
        for tally in members.iter().flatten() {
            batch.follows_from(&tally.span.get());
        }
    }
    batch
}

/// Of a request that is about to begin; without a handler where a layer opens it.
pub(crate) fn request(
    site: &'static Site,
    handler: Option<&str>,
    combo: &Combo,
    told: Option<&Told>,
) -> Traced {
    if REQUEST.may_be_seen() {
        begin_request(site, handler, combo, told)
    } else {
        Traced::NONE
    }
}

/// More is known of a request that is open: its labels, which were those of `was`, its route, and who handles it.
pub(crate) fn joined(tally: &Tally, was: u32, routed: bool, handler: Option<&'static Site>) {
    let span = tally.span.get();
    if span.is_some()
        && let Some(combo) = combo::get(tally.combo())
    {
        let told = tally.told_so_far().filter(|_| routed);
        let route = told.and_then(Told::route);
        fill_in(&span, combo::get(was).as_deref(), &combo, route, handler);
    }
}

/// Where this thread is within the request, unless that is the request itself.
pub(crate) fn current_within(tally: &Tally) -> Traced {
    if LevelFilter::current() == LevelFilter::OFF {
        return Traced::NONE;
    }
    let current = Traced::current();
    if current.is(&tally.span.get()) {
        return Traced::NONE;
    }
    current
}

/// Name and version of the model; `None` where nobody records.
fn names(combo: &Combo) -> Option<(Box<str>, Box<str>)> {
    let recorder = combo.recorder()?;
    Some(recorder.state().model_names(combo.labels.model))
}

#[cold]
fn begin_stage(site: &'static Site, combo: u32, members: Option<u64>) -> Traced {
    let combo = match combo {
        0 => local::with(local::Local::combo),
        named => named,
    };
    let Some((model, version)) = combo::get(combo)
        .filter(|_| !site.callsite.is_refused())
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
    Traced::begin(site, &STAGE, &values)
}

#[cold]
fn begin_request(
    site: &'static Site,
    handler: Option<&str>,
    combo: &Combo,
    told: Option<&Told>,
) -> Traced {
    let Some((model, version)) = names(combo).filter(|_| !site.callsite.is_refused()) else {
        return Traced::NONE;
    };
    let labels = &combo.labels;
    let trace = told.and_then(Told::trace).map(|trace| trace.to_string());
    let texts = [
        handler,
        Some(&*model),
        Some(&*version),
        labels.ingress.as_deref(),
        labels.tier.as_deref(),
        labels.tenant.as_deref(),
        told.and_then(Told::route),
        trace.as_deref(),
        None,
        None,
    ];
    let values = texts.each_ref().map(|text| Some(text as &dyn Value));
    Traced::begin(site, &REQUEST, &values)
}

/// Says what is new, and nothing twice: a log shows a field as often as it was told.
#[cold]
fn fill_in(
    span: &Traced,
    was: Option<&Combo>,
    combo: &Combo,
    route: Option<&str>,
    handler: Option<&'static Site>,
) {
    let Some((model, version)) = names(combo) else {
        return;
    };
    let (before, labels) = (was.map(|was| &was.labels), &combo.labels);
    let named = before.is_none_or(|before| before.model != labels.model);
    span.fill(&[
        (HANDLER, handler.map(|site| site.name)),
        (MODEL, named.then_some(&*model)),
        (VERSION, named.then_some(&*version)),
        (INGRESS, new(before, labels, |labels| &labels.ingress)),
        (TIER, new(before, labels, |labels| &labels.tier)),
        (TENANT, new(before, labels, |labels| &labels.tenant)),
        (ROUTE, route),
    ]);
}

/// A label that has come, or has changed.
fn new<'a>(
    before: Option<&RequestLabels>,
    labels: &'a RequestLabels,
    which: impl Fn(&RequestLabels) -> &Option<Arc<str>>,
) -> Option<&'a str> {
    let now = which(labels).as_deref();
    now.filter(|now| before.and_then(|before| which(before).as_deref()) != Some(now))
}
