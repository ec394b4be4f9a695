//! What health says in JSON: the body of every address, and the same as plain text for the service's own use.

use crate::health::report::{CheckReport, HealthReport, ModelReport, Roll, Verdict};
use crate::vocab::group::{Group, HealthStatus};
use crate::vocab::label::cut;
use crate::vocab::reason::Reason;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Whoever asks reads it whole at every probe.
const LONGEST: usize = 10 * 1024;

/// For what is added when the rest is known: how many were left out.
const SPARE: usize = 128;

/// What a client asked for beside the health itself.
#[derive(Debug, Default)]
pub(crate) struct Asked<'a> {
    /// The checks one by one.
    pub(crate) verbose: bool,
    /// Checks that do not count.
    pub(crate) excluded: Vec<&'a str>,
    /// What could not be done for it.
    pub(crate) warnings: Vec<String>,
}

impl HealthReport {
    /// The body of `/health` as JSON: status, reason, models, devices, queue depth and uptime. At most 10 KiB; what is not known
    /// is left out.
    #[must_use]
    pub fn json(&self) -> String {
        self.health_body(&Asked::default())
    }

    pub(crate) fn health_body(&self, asked: &Asked<'_>) -> String {
        let main = self.main_model();
        let several = self.models.len() > 1;
        let body = Body {
            model: main.map(|model| cut(&model.name)),
            model_version: main.map(|model| cut(&model.version)),
            gpu_health: self.gpu_health,
            queue_depth: self.queue_depth,
            uptime: Some(self.uptime.as_secs()),
            version: Some(self.version),
            ..Body::of(self.roll(Group::Readiness), asked)
        };
        let models = several.then(|| self.models.iter().map(ModelBody::of).collect());
        let checks = asked.verbose.then(|| {
            let shown = |check| CheckBody::of(check, Group::Readiness);
            self.counted(asked).map(shown).collect()
        });
        body.fitted(models, checks)
    }

    /// A group by itself: what anyone may know.
    pub(crate) fn group_body(&self, group: Group, asked: &Asked<'_>) -> String {
        let checks = asked.verbose.then(|| {
            self.counted(asked)
                .filter(|check| check.groups.has(group))
                .map(|check| CheckBody::of(check, group))
                .collect()
        });
        Body::of(self.roll(group), asked).fitted(None, checks)
    }

    /// The same in the form of `application/health+json`, with the checks of one group or of all.
    pub(crate) fn draft_body(&self, group: Group, all: bool, asked: &Asked<'_>) -> String {
        let checks: Vec<_> = self
            .counted(asked)
            .filter(|check| asked.verbose && (all || check.groups.has(group)))
            .map(|check| {
                let (verdict, reason) = check.seen_by(group);
                let one = DraftCheck {
                    status: draft_verdict(verdict),
                    output: reason.map(Reason::as_str),
                };
                (check.name, [one])
            })
            .collect();
        let roll = self.roll(group);
        let mut draft = Draft {
            status: draft_status(roll.status),
            output: roll.reason.map(Reason::as_str),
            notes: asked.warnings.clone(),
            checks: None,
        };
        let mut room = LONGEST.saturating_sub(text(&draft).len() + SPARE);
        let (checks, omitted) = fitting(checks, &mut room);
        if omitted > 0 {
            draft.notes.push(format!("{omitted} checks are not shown"));
        }
        draft.checks = asked.verbose.then(|| checks.into_iter().collect());
        text(&draft)
    }

    /// The checks that count, those that are not well first: they are not to be cut off.
    fn counted(&self, asked: &Asked<'_>) -> impl Iterator<Item = &CheckReport> {
        let mut checks: Vec<_> = self
            .checks
            .iter()
            .filter(|check| !asked.excluded.contains(&check.name))
            .collect();
        checks.sort_by_key(|check| check.verdict == Verdict::Up);
        checks.into_iter()
    }

    /// The one that a service with one model has: of several the first that can be asked.
    fn main_model(&self) -> Option<&ModelReport> {
        let ready = self.models.iter().find(|model| model.ready);
        ready.or(self.models.first())
    }
}

impl CheckReport {
    /// A check by itself, as a group sees it.
    pub(crate) fn json(&self, group: Group) -> String {
        text(&CheckBody::of(self, group))
    }
}

#[derive(Debug, Default, Serialize)]
struct Body<'a> {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu_health: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_depth: Option<usize>,
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    uptime: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    models: Option<Vec<ModelBody<'a>>>,
    #[serde(skip_serializing_if = "is_none")]
    models_omitted: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<Vec<CheckBody>>,
    #[serde(skip_serializing_if = "is_none")]
    checks_omitted: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    excluded: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ModelBody<'a> {
    name: &'a str,
    version: &'a str,
    ready: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct CheckBody {
    name: &'static str,
    state: &'static str,
    hard: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    age_ms: Option<u64>,
    stale: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct Draft {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<BTreeMap<&'static str, [DraftCheck; 1]>>,
}

#[derive(Debug, Serialize)]
struct DraftCheck {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'static str>,
}

impl<'a> Body<'a> {
    fn of(roll: &Roll, asked: &Asked<'a>) -> Body<'a> {
        Body {
            status: roll.status.as_str(),
            reason: roll.reason.map(Reason::as_str),
            excluded: asked.excluded.clone(),
            warnings: asked.warnings.clone(),
            ..Body::default()
        }
    }

    /// As text, with as much of the lists as there is room for.
    fn fitted(
        mut self,
        models: Option<Vec<ModelBody<'a>>>,
        checks: Option<Vec<CheckBody>>,
    ) -> String {
        let mut room = LONGEST.saturating_sub(text(&self).len() + SPARE);
        if let Some(models) = models {
            // many models are to leave room for the checks
            let mut half = room / 2;
            let (shown, omitted) = fitting(models, &mut half);
            room = room - room / 2 + half;
            (self.models, self.models_omitted) = (Some(shown), omitted);
        }
        if let Some(checks) = checks {
            let (shown, omitted) = fitting(checks, &mut room);
            (self.checks, self.checks_omitted) = (Some(shown), omitted);
        }
        text(&self)
    }
}

impl ModelBody<'_> {
    fn of(model: &ModelReport) -> ModelBody<'_> {
        ModelBody {
            name: cut(&model.name),
            version: cut(&model.version),
            ready: model.ready,
            reason: model.reason.map(Reason::as_str),
        }
    }
}

impl CheckBody {
    fn of(check: &CheckReport, group: Group) -> CheckBody {
        let (verdict, reason) = check.seen_by(group);
        let millis = |age: Duration| u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        CheckBody {
            name: check.name,
            state: verdict.as_str(),
            hard: check.hard,
            age_ms: check.age.map(millis),
            stale: check.stale,
            reason: reason.map(Reason::as_str),
        }
    }
}

fn draft_status(status: HealthStatus) -> &'static str {
    match status {
        HealthStatus::Healthy => "pass",
        HealthStatus::Degraded => "warn",
        HealthStatus::Unhealthy => "fail",
    }
}

fn draft_verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Up => "pass",
        Verdict::Degraded => "warn",
        Verdict::Pending | Verdict::Down | Verdict::Expired => "fail",
    }
}

/// The first ones, as many as there is room for, and how many are left out.
fn fitting<T: Serialize>(mut items: Vec<T>, room: &mut usize) -> (Vec<T>, usize) {
    let mut fit = 0;
    for item in &items {
        // and a comma
        let Some(left) = room.checked_sub(text(item).len() + 1) else {
            break;
        };
        *room = left;
        fit += 1;
    }
    let omitted = items.len() - fit;
    items.truncate(fit);
    (items, omitted)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

fn text(body: &impl Serialize) -> String {
    // strings and numbers always can be written
    serde_json::to_string(body).unwrap_or_default()
}
