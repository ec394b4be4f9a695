//! The life of a request: opened by an attribute or a layer, joined by the handler, ended once.

use crate::record::catalog;
use crate::record::combo::{self, Combo};
use crate::record::generation;
use crate::record::guard::StageArgs;
use crate::record::local;
use crate::record::open::Open;
use crate::record::recorder::{Recorder, RequestLabels};
use crate::record::series::Kind;
use crate::record::span::RequestSpan;
use crate::record::tally::Tally;
use crate::record::told::Told;
use crate::record::troubles::Troubles;
use crate::request::caller::Caller;
use crate::request::context::Scope;
#[cfg(feature = "tracing")]
use crate::request::event;
use crate::request::opening::Opening;
use crate::request::spans;
use crate::request::traces::{self, Link};
use crate::site::site::Site;
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::Outcome;
use std::sync::Arc;

/// Where a label names a stage and there is none.
const NO_STAGE: &str = "none";

/// Why a request was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The client left: only a layer can tell.
    Client,
    /// Without a layer nobody knows why a future was dropped.
    Unknown,
}

impl Cause {
    const fn as_str(self) -> &'static str {
        match self {
            Cause::Client => "client",
            Cause::Unknown => "unknown",
        }
    }
}

/// What became of an attribute's wish to open a request.
#[derive(Debug, Default)]
pub(crate) enum Begun {
    /// Nobody records, or the request around it says all there is to say.
    #[default]
    Nothing,
    /// The handler inside a layer, which ends the request.
    Joined(Handler),
    Opened(Arc<Tally>),
}

/// The outermost annotated function inside a layer.
#[derive(Debug)]
pub(crate) struct Handler(Arc<Tally>);

impl Drop for Handler {
    fn drop(&mut self) {
        self.0.leave_handler();
    }
}

impl Begun {
    pub(crate) fn opened(&self) -> Option<&Arc<Tally>> {
        match self {
            Begun::Opened(tally) => Some(tally),
            Begun::Nothing | Begun::Joined(_) => None,
        }
    }

    /// The handler has returned, or was unwound.
    pub(crate) fn end(self, outcome: Outcome) {
        match self {
            Begun::Nothing => {}
            // how it really ends is known when the answer has been read
            Begun::Joined(handler) => handler.0.note(outcome),
            // it goes on with the streams that it has handed out
            Begun::Opened(tally) if outcome == Outcome::Ok && tally.leave_to_streams() => {}
            Begun::Opened(tally) if outcome == Outcome::Ok => {
                end(&tally, tally.failure().unwrap_or(outcome), Cause::Unknown);
            }
            Begun::Opened(tally) => end(&tally, outcome, Cause::Unknown),
        }
    }

    /// Works for it on this thread.
    pub(crate) fn scope(&self) -> Option<Scope> {
        self.opened().map(Scope::enter)
    }

    /// It is dropped, with all that works for it (`rest`), before it has said how it ended.
    pub(crate) fn leave(self, outcome: Outcome, rest: impl FnOnce()) {
        match self {
            Begun::Nothing => rest(),
            joined @ Begun::Joined(_) => {
                rest();
                // a layer knows better whether anybody has left
                if outcome != Outcome::Cancelled {
                    joined.end(outcome);
                }
            }
            Begun::Opened(tally) => {
                if outcome == Outcome::Cancelled {
                    tally.cancelling();
                }
                let _ending = Ending(&tally, outcome, Cause::Unknown);
                // stages inside end within their request
                let _scope = Scope::enter(&tally);
                rest();
            }
        }
    }
}

/// Ends a request, also when a destructor inside it, or a subscriber, panics.
struct Ending<'a>(&'a Tally, Outcome, Cause);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        end(self.0, self.1, self.2);
    }
}

/// An attribute begins: it opens a request, or joins the one that is open.
pub(crate) fn begin(site: &'static Site, mut opening: Opening) -> Begun {
    if !local::enabled() {
        return Begun::Nothing;
    }
    if let Some(open) = local::current()
        && !site.root
        && !std::ptr::eq(open.site, site)
        && !open.has_ended()
    {
        let was = open.combo();
        join(&open, &opening);
        let routed = opening
            .take_route()
            .is_some_and(|route| open.told().set_route(route));
        let handles = open.is_layered() && open.join();
        // first: when a subscriber panics, another handler may answer
        let joined = handles.then(|| Handler(Arc::clone(&open)));
        if handles || routed || open.combo() != was {
            spans::joined(&open, was, routed, handles.then_some(site));
        }
        let Some(joined) = joined else {
            return Begun::Nothing;
        };
        leave_ingress(&open, Outcome::Ok);
        return Begun::Joined(joined);
    }
    open(site, opening).map_or(Begun::Nothing, Begun::Opened)
}

/// Opens a request, whatever is open.
pub(crate) fn open(site: &'static Site, mut opening: Opening) -> Option<Arc<Tally>> {
    let (recorder, number) = opening.resolve()?;
    let told = Told::of(opening.take_route(), None);
    start(site, Some(site.name), &recorder, number, told)
}

/// Opens a request in a runtime, whatever is open.
pub(crate) fn open_in(
    recorder: &Arc<Recorder>,
    opening: &Opening,
    caller: Option<Caller>,
) -> Option<Arc<Tally>> {
    let number = opening.resolve_in(recorder)?;
    let told = Told::of(None, caller.map(|caller| caller.trace));
    start(opening.site(), None, recorder, number, told)
}

fn start(
    site: &'static Site,
    handler: Option<&str>,
    recorder: &Recorder,
    number: u32,
    mut told: Option<Box<Told>>,
) -> Option<Arc<Tally>> {
    let combo = combo::get(number)?;
    // first: a subscriber that panics leaves nothing begun
    let span = spans::request(site, handler, &combo, told.as_deref());
    // where it has a span of its own, that says it when it is entered
    if !span.is_some()
        && told.as_ref().is_none_or(|told| told.trace().is_none())
        && let Some(trace) = traces::current()
    {
        told.get_or_insert_default().look_for_trace(|| Some(trace));
    }
    let ids = combo.ids(recorder, site);
    local::with(|local| local.push(ids.request.event(Kind::BEGAN, 0)));
    let mut tally = Tally::new(site, number, recorder.clock.ticks()).tells(told);
    tally.span = RequestSpan::new(span);
    tally.bill_to_tenant(combo.labels.tenant.is_some());
    Some(Arc::new(tally))
}

/// The stage from the headers to the handler.
pub(crate) static INGRESS: Site = Site::stage("ingress", "instrument_inference::request");

/// The layer has opened a request: until its handler begins, it is in ingress.
pub(crate) fn enter_ingress(tally: &Arc<Tally>, caller: Option<Caller>) {
    let link = Link::to(caller, tally);
    let _scope = Scope::enter(tally);
    if let Some(link) = link {
        link.make();
    }
    let span = spans::stage(&INGRESS, StageArgs::NONE);
    tally.wait_for_handler(Open::enter(&INGRESS, StageArgs::NONE), span);
}

/// The handler begins, or there is an answer without one.
pub(crate) fn leave_ingress(tally: &Arc<Tally>, outcome: Outcome) {
    if let Some((ingress, span)) = tally.take_ingress() {
        ingress.exit_as(&INGRESS, tally, outcome);
        span.ended(outcome);
    }
}

/// A request that a layer opened ends, with what its answer says. A typed error of the handler, or of a stream
/// that it has handed out, says more than a status code; a status code says more than a handler that found nothing wrong,
/// and one of failure more than an error of which nothing is known.
pub(crate) fn finish(tally: &Arc<Tally>, answer: Outcome, cause: Cause) {
    let typed = tally
        .noted()
        .filter(|noted| *noted != Outcome::Ok)
        .or_else(|| tally.failure())
        .filter(|typed| match answer {
            Outcome::Panicked => false,
            Outcome::Error(_) | Outcome::Rejected(_) => {
                *typed != Outcome::Error(ErrorType::Internal)
            }
            Outcome::Ok | Outcome::Cancelled => true,
        });
    let outcome = typed.unwrap_or(answer);
    let _ending = Ending(tally, outcome, cause);
    leave_ingress(tally, outcome);
}

/// An attribute inside a request adds what the request does not say yet.
fn join(open: &Arc<Tally>, opening: &Opening) {
    // one join at a time, and none while it ends: each moves what is in flight
    let _settling = open.settle();
    if open.has_ended() {
        return;
    }
    let was = open.combo();
    let Some(now) = opening.join(was).filter(|now| *now != was) else {
        return;
    };
    let (Some(from), Some(to)) = (combo::get(was), combo::get(now)) else {
        return;
    };
    let Some(recorder) = to.recorder() else {
        return;
    };
    let request = |combo: &Combo| combo.ids(&recorder, open.site).request;
    let (from, into) = (request(&from), request(&to));
    open.bill_to_tenant(to.labels.tenant.is_some());
    open.replace_combo(now);
    local::refresh();
    local::with(|local| {
        local.push(from.event(Kind::MOVED, 0));
        local.push(into.event(Kind::BEGAN, 0));
    });
}

/// Ends a request, once.
pub(crate) fn end(tally: &Tally, outcome: Outcome, cause: Cause) {
    let settling = tally.settle();
    let Some(combo) = combo::get(tally.combo()) else {
        return;
    };
    let Some(recorder) = combo.recorder() else {
        return;
    };
    let now = recorder.clock.ticks();
    let Some(rest) = tally.end(now) else {
        return;
    };
    let outcome = settled(tally, outcome);
    let ids = combo.ids(&recorder, tally.site);
    let (ended, total) = (Kind::ended(outcome), now.saturating_sub(tally.start));
    local::with(|local| {
        local.push(ids.request.event(ended, total));
        local.push(ids.unattributed.event(Kind::COUNT, rest));
        if !ids.tenant.is_none() {
            local.push(ids.tenant.event(ended, total));
            local.push(ids.compute.event(Kind::COUNT, tally.compute()));
        }
    });
    let generated = tally.generated_so_far();
    generation::ended(&recorder, &combo, generated, outcome, total);
    // what follows may call a subscriber
    drop(settling);
    let span = tally.span.take();
    if outcome != Outcome::Ok {
        let labels = &combo.labels;
        let failed = count(&recorder, labels, outcome, tally.troubles(), cause);
        if let Some((stage, error)) = failed {
            let _inside = span.enter();
            report(
                &recorder,
                labels.model,
                tally.told_so_far(),
                stage,
                error,
                total,
            );
        }
    }
    span.ended(outcome);
}

/// What the handler returned, in the light of what is known of the request.
fn settled(tally: &Tally, outcome: Outcome) -> Outcome {
    if tally.executed() {
        return outcome.once_executed();
    }
    match (outcome, tally.refused()) {
        // the service's own error type hides that somebody refused to go on
        (Outcome::Error(ErrorType::Internal | ErrorType::Unavailable), Some(reason)) => {
            Outcome::Rejected(reason)
        }
        _ => outcome,
    }
}

/// What did not go well is counted once more, by where and why. What the log is to say of it: its stage and error.
#[cold]
fn count(
    recorder: &Recorder,
    labels: &RequestLabels,
    outcome: Outcome,
    troubles: &Troubles,
    cause: Cause,
) -> Option<(&'static str, Option<ErrorType>)> {
    let model = Some(labels.model);
    let one = |metric, labels: &[(&'static str, &str)]| {
        let series = recorder.count(metric, model, labels);
        local::with(|local| local.push(series.event(Kind::COUNT, 1)));
    };
    match outcome {
        Outcome::Error(own) => {
            // what was dropped when the time was over is what took too long
            let late = || {
                let stage = troubles.left_in()?;
                (own == ErrorType::DeadlineExceeded).then_some((stage, own))
            };
            let (stage, error) = troubles.born(own).or_else(late).unwrap_or((NO_STAGE, own));
            let label = ("error_type", error.as_str());
            one(&catalog::ERRORS, &[("stage", stage), label]);
            if let Some(tenant) = &labels.tenant {
                let series = recorder.tenant_errors(labels.model, tenant, label);
                local::with(|local| local.push(series.event(Kind::COUNT, 1)));
            }
            Some((stage, Some(error)))
        }
        Outcome::Rejected(reason) => {
            one(&catalog::REJECTIONS, &[("reason", reason.as_str())]);
            None
        }
        Outcome::Cancelled => {
            let stage = troubles.left_in().unwrap_or(NO_STAGE);
            one(
                &catalog::CANCELLATIONS,
                &[("stage", stage), ("cause", cause.as_str())],
            );
            None
        }
        Outcome::Panicked => Some((NO_STAGE, None)),
        Outcome::Ok => None,
    }
}

#[cfg(feature = "tracing")]
fn report(
    recorder: &Recorder,
    model: usize,
    told: Option<&Told>,
    stage: &'static str,
    error: Option<ErrorType>,
    took: u64,
) {
    let seconds = recorder.clock.seconds(took);
    event::failed(recorder, model, told, stage, error, seconds);
}

/// Nobody listens.
#[cfg(not(feature = "tracing"))]
fn report(_: &Recorder, _: usize, _: Option<&Told>, _: &'static str, _: Option<ErrorType>, _: u64) {
}
