//! From what is known to what is reported: a pure function of the facts and the time.

use crate::health::facts::{CheckFacts, Facts, Life, ModelFacts};
use crate::health::report::{CheckReport, HealthReport, Lifecycle, ModelReport, Roll, Verdict};
use crate::slot::devices::Fault;
use crate::slot::executions::Stall;
use crate::slot::state::Phase;
use crate::vocab::group::{Group, Groups, HealthStatus};
use crate::vocab::label::cut;
use crate::vocab::reason::Reason;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The check on the models themselves: it is not run, but read.
pub(crate) const MODELS: &str = "models";

/// The check on the devices: it is not run, but read.
pub(crate) const DEVICE: &str = "device";

/// The check on the executions: it is not run, but read.
pub(crate) const STALLED: &str = "stalled";

/// What a reader knows beside the facts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) now: Duration,
    /// The process gets on with its work.
    pub(crate) busy: bool,
    /// The whole process stood still a moment ago: nobody is to be restarted for that.
    pub(crate) thawing: bool,
    pub(crate) queue_depth: Option<usize>,
}

/// A verdict, as the roll-up of one group sees it.
struct Vote {
    check: &'static str,
    hard: bool,
    verdict: Verdict,
    reason: Option<Reason>,
    since: Duration,
}

/// What the facts come to.
pub(crate) fn report(facts: &Facts, reading: Reading) -> HealthReport {
    report_without(facts, reading, &[])
}

/// The same, had the service none of these checks. Its life counts all the same.
pub(crate) fn report_without(facts: &Facts, reading: Reading, excluded: &[&str]) -> HealthReport {
    let Reading { now, .. } = reading;
    let mut checks: Vec<CheckReport> = facts
        .checks
        .iter()
        .map(|check| reported(check, reading))
        .collect();
    checks.extend(models_check(facts));
    checks.extend(device_check(facts));
    checks.extend(stalled_check(facts));
    let lifecycle = lifecycle(facts, &checks);
    let roll = |group| {
        let mut votes = votes(facts, &checks, group);
        votes.retain(|vote| !excluded.contains(&vote.check));
        roll(&facts.life, lifecycle, group, &votes, now)
    };
    let rolls = Group::ALL.map(roll);
    let models = facts
        .models
        .iter()
        .map(|model| model_report(model, facts, &checks, lifecycle))
        .collect();
    HealthReport {
        version: facts.version,
        lifecycle,
        uptime: now,
        rolls,
        checks,
        models,
        queue_depth: reading.queue_depth,
        gpu_health: facts.devices.map(|devices| devices.fault.is_none()),
    }
}

fn reported(check: &CheckFacts, reading: Reading) -> CheckReport {
    let (plan, machine) = (&check.plan, &check.machine);
    let (verdict, reason) = machine.verdict(reading.now, plan.max_stale, reading.busy);
    let age = machine.age(reading.now);
    CheckReport {
        name: plan.name,
        groups: plan.groups,
        hard: plan.hard,
        model: plan.model,
        verdict,
        reason,
        live: live(check, reading),
        age,
        stale: age.is_some_and(|age| age > plan.cache),
        since: machine.since(plan.max_stale, reading.now),
    }
}

/// What it says to liveness, which trusts a result for longer: the answer would be a restart.
fn live(check: &CheckFacts, reading: Reading) -> (Verdict, Option<Reason>) {
    let longest = check.plan.max_stale_live;
    match check.machine.verdict(reading.now, longest, reading.busy) {
        (Verdict::Expired, _) if reading.thawing => (Verdict::Degraded, Some(Reason::STALE)),
        (Verdict::Expired, _) => (Verdict::Expired, Some(Reason::RUNTIME_STALLED)),
        said => said,
    }
}

/// The models, as a check; `None` where the service needs none and has none.
fn models_check(facts: &Facts) -> Option<CheckReport> {
    if facts.life.without_models && facts.models.is_empty() {
        return None;
    }
    let trouble = models_trouble(facts);
    let verdict = match trouble {
        None => Verdict::Up,
        Some(Reason::MODEL_LOADING) => Verdict::Pending,
        Some(_) => Verdict::Down,
    };
    Some(CheckReport {
        name: MODELS,
        groups: Groups::READINESS,
        hard: true,
        model: None,
        verdict,
        reason: trouble,
        live: (verdict, trouble),
        age: Some(Duration::ZERO),
        stale: false,
        since: facts.models_since,
    })
}

/// The devices, as a check; `None` where none is expected, or the service does without it. Trouble with asking them is
/// none of theirs.
fn device_check(facts: &Facts) -> Option<CheckReport> {
    let devices = facts.devices.filter(|devices| !devices.ignored)?;
    let reason = devices.fault.map(|fault| match fault {
        Fault::Lost => Reason::GPU_LOST,
        Fault::Xid(_) | Fault::Uncorrectable | Fault::Reported | Fault::Sticky => {
            Reason::DEVICE_FAULT
        }
    });
    let verdict = match reason {
        None => Verdict::Up,
        Some(_) => Verdict::Down,
    };
    Some(CheckReport {
        name: DEVICE,
        groups: Groups::READINESS,
        hard: true,
        model: None,
        verdict,
        reason,
        live: (verdict, reason),
        age: Some(Duration::ZERO),
        stale: false,
        since: devices.since,
    })
}

/// The executions, as a check; `None` where there are none to be seen. It takes the service out of rotation only where
/// the service itself has said how long is too long.
fn stalled_check(facts: &Facts) -> Option<CheckReport> {
    let executions = facts.executions.as_ref()?;
    let verdict = stalled(facts);
    let reason = (verdict != Verdict::Up).then_some(Reason::STALLED);
    Some(CheckReport {
        name: STALLED,
        groups: Groups::READINESS,
        hard: executions.decisive,
        model: None,
        verdict,
        reason,
        live: (verdict, reason),
        age: Some(Duration::ZERO),
        stale: false,
        since: executions.since,
    })
}

/// How the executions get on, all together.
pub(crate) fn stalled(facts: &Facts) -> Verdict {
    match stalls(facts) {
        [] => Verdict::Up,
        all if all.iter().any(|stall| stops_the_service(facts, stall)) => Verdict::Down,
        _ => Verdict::Degraded,
    }
}

fn stalls(facts: &Facts) -> &[Stall] {
    facts
        .executions
        .as_ref()
        .map_or(&[], |executions| &executions.stalls)
}

/// Whether the service cannot answer because of it: a model that is needed is there when one of its versions gets on.
fn stops_the_service(facts: &Facts, stall: &Stall) -> bool {
    if !stall.decisive {
        return false;
    }
    let mut declared = facts
        .models
        .iter()
        .filter(|model| cut(&model.name) == &*stall.model)
        .peekable();
    if declared.peek().is_none() {
        // of no model in particular, so of the service
        return true;
    }
    let needed = declared.clone().any(|model| !model.optional);
    let mut ready = declared
        .filter(|model| model.phase == Phase::Ready)
        .peekable();
    needed && ready.peek().is_some() && ready.all(|model| is_condemned(facts, model))
}

/// An execution of the model does not get on, for longer than the service itself finds right.
fn is_condemned(facts: &Facts, model: &ModelFacts) -> bool {
    let (name, version) = (cut(&model.name), cut(&model.version));
    stalls(facts)
        .iter()
        .any(|stall| stall.decisive && *stall.model == *name && *stall.version == *version)
}

/// Why the service cannot answer with its models. A model that is needed is there when one of its versions is.
pub(crate) fn models_trouble(facts: &Facts) -> Option<Reason> {
    let mut by_name: BTreeMap<&str, (bool, Vec<Phase>)> = BTreeMap::new();
    for model in &facts.models {
        let (needed, phases) = by_name.entry(&model.name).or_default();
        *needed |= !model.optional && !may_become_optional(facts, model);
        phases.push(model.phase);
    }
    let is_there = |phases: &[Phase]| phases.contains(&Phase::Ready);
    if !facts.life.without_models && !by_name.values().any(|(_, phases)| is_there(phases)) {
        let all: Vec<_> = by_name
            .into_values()
            .flat_map(|(_, phases)| phases)
            .collect();
        return Some(why_not(&all));
    }
    by_name
        .values()
        .filter(|(needed, phases)| *needed && !is_there(phases))
        .map(|(_, phases)| why_not(phases))
        // a failure before a load that may still end well
        .max_by_key(|reason| *reason != Reason::MODEL_LOADING)
}

/// `model(…).optional()` are two steps, and a service that serves is not to be unready between them: what comes later
/// counts from the moment when its load begins.
fn may_become_optional(facts: &Facts, model: &ModelFacts) -> bool {
    facts.life.been_ready && model.phase == Phase::Declared
}

fn why_not(phases: &[Phase]) -> Reason {
    if phases.contains(&Phase::Loading) || phases.contains(&Phase::Declared) {
        Reason::MODEL_LOADING
    } else if phases.contains(&Phase::Failed) {
        Reason::MODEL_LOAD_FAILED
    } else {
        Reason::MODEL_NOT_LOADED
    }
}

fn lifecycle(facts: &Facts, checks: &[CheckReport]) -> Lifecycle {
    let life = &facts.life;
    // built-in checks wait for the service itself, the others for the scheduler
    let looked_at = facts
        .checks
        .iter()
        .filter(|check| check.plan.groups.has(Group::Readiness) && check.plan.hard)
        .all(|check| check.machine.has_result());
    let loaded = checks
        .iter()
        .all(|check| check.name != MODELS || check.verdict != Verdict::Pending);
    match life {
        Life { closing: true, .. } => Lifecycle::Closing,
        Life { draining: true, .. } => Lifecycle::Draining,
        Life {
            maintenance: true, ..
        } => Lifecycle::Maintenance,
        _ if life.held || !looked_at || !loaded => Lifecycle::Starting,
        _ => Lifecycle::Serving,
    }
}

/// What the checks of a group say to its roll-up.
fn votes(facts: &Facts, checks: &[CheckReport], group: Group) -> Vec<Vote> {
    let mut votes = Vec::new();
    for check in checks {
        // a service has started when its models are there
        let startup_of_models = group == Group::Startup && check.name == MODELS;
        if !check.groups.has(group) && !startup_of_models {
            continue;
        }
        let (verdict, reason) = check.seen_by(group);
        votes.push(Vote {
            check: check.name,
            hard: check.hard && !belongs_to_optional(facts, check.model),
            verdict,
            reason,
            since: check.since,
        });
    }
    votes
}

/// A check of a model that the service can do without makes nothing but that model unready.
fn belongs_to_optional(facts: &Facts, model: Option<&str>) -> bool {
    let Some(name) = model else { return false };
    let mut versions = facts.models.iter().filter(|model| *model.name == *name);
    versions.clone().next().is_some() && versions.all(|model| model.optional)
}

fn roll(life: &Life, lifecycle: Lifecycle, group: Group, votes: &[Vote], now: Duration) -> Roll {
    let unhealthy = |reason| Roll {
        status: HealthStatus::Unhealthy,
        reason: Some(reason),
        check: None,
        since: life.since,
    };
    let well = Roll {
        status: HealthStatus::Healthy,
        reason: None,
        check: None,
        since: life.since.min(now),
    };
    match (group, lifecycle) {
        (Group::Readiness, Lifecycle::Draining | Lifecycle::Closing) => {
            return unhealthy(Reason::DRAINING);
        }
        (Group::Readiness, Lifecycle::Maintenance) => return unhealthy(Reason::MAINTENANCE),
        // a restart would only begin the same start again, or cut short what is ending anyway
        (Group::Liveness, Lifecycle::Draining | Lifecycle::Closing) => return well,
        (Group::Liveness, _) if !life.started => return well,
        (Group::Startup, _) if life.started => return well,
        _ => {}
    }
    let held = life.held && group != Group::Liveness;
    let worst = votes
        .iter()
        .filter_map(|vote| Some((weight(vote, group)?, vote)))
        // worst, then hard before soft, then the earliest
        .min_by_key(|(weight, vote)| {
            (
                std::cmp::Reverse(*weight),
                !vote.hard,
                // that a model is loading says more than that something has not been looked at
                *weight == Weight::Starting && vote.check != MODELS,
                vote.since,
            )
        });
    match worst {
        Some((Weight::Unhealthy, vote)) => Roll {
            status: HealthStatus::Unhealthy,
            reason: vote.reason,
            check: Some(vote.check),
            since: vote.since,
        },
        _ if held => unhealthy(Reason::STARTING),
        Some((Weight::Starting, vote)) => Roll {
            status: HealthStatus::Unhealthy,
            reason: Some(starting(vote)),
            check: Some(vote.check),
            since: vote.since,
        },
        Some((Weight::Degraded, vote)) => Roll {
            status: HealthStatus::Degraded,
            reason: vote.reason,
            check: Some(vote.check),
            since: vote.since,
        },
        // nobody is restarted for what has not started yet
        None => well,
    }
}

/// A model that is loading says more than "starting".
fn starting(vote: &Vote) -> Reason {
    if vote.check == MODELS {
        vote.reason.unwrap_or(Reason::STARTING)
    } else {
        Reason::STARTING
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Degraded,
    Starting,
    Unhealthy,
}

fn weight(vote: &Vote, group: Group) -> Option<Weight> {
    match vote.verdict {
        Verdict::Up => None,
        Verdict::Pending if group == Group::Liveness => None,
        Verdict::Pending if vote.hard => Some(Weight::Starting),
        Verdict::Down | Verdict::Expired if vote.hard => Some(Weight::Unhealthy),
        _ => Some(Weight::Degraded),
    }
}

fn model_report(
    model: &ModelFacts,
    facts: &Facts,
    checks: &[CheckReport],
    lifecycle: Lifecycle,
) -> ModelReport {
    let of_model = |check: &&CheckReport| check.hard && check.model == Some(&*model.name);
    let failing = checks.iter().filter(of_model).find(|check| {
        matches!(
            check.verdict,
            Verdict::Down | Verdict::Expired | Verdict::Pending
        )
    });
    let reason = match (lifecycle, model.phase) {
        (Lifecycle::Draining | Lifecycle::Closing, _) => Some(Reason::DRAINING),
        (Lifecycle::Maintenance, _) => Some(Reason::MAINTENANCE),
        (_, Phase::Ready) => failing
            .and_then(|check| check.reason)
            .or(is_condemned(facts, model).then_some(Reason::STALLED)),
        (_, phase) => Some(why_not(&[phase])),
    };
    ModelReport {
        name: Arc::clone(&model.name),
        version: Arc::clone(&model.version),
        platform: model.platform.clone(),
        phase: model.phase,
        optional: model.optional,
        ready: reason.is_none(),
        reason,
    }
}
