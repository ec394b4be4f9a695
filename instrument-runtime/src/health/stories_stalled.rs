//! What becomes of a service whose executions do not get on: by a clock that the test moves.

use crate::health::news::News;
use crate::health::report::{HealthReport, Verdict};
use crate::health::rig::HealthRig;
use crate::slot::executions::StageExecutions;
use crate::slot::state::Phase;
use crate::vocab::group::{Group, HealthStatus};
use crate::vocab::reason::Reason;
use std::time::Duration;

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The longest until the scheduler looks.
const TICK: Duration = Duration::from_millis(250);

/// With these models, all of them loaded.
fn rig(models: &[(&str, &str)]) -> HealthRig {
    let mut rig = HealthRig::with(&[], models.is_empty(), 8);
    for (name, version) in models {
        rig.slots.declare(name, version).enter(Phase::Ready);
    }
    rig.pass(secs(1));
    rig
}

/// `execute` of a model; with `stall` in seconds.
fn execute(rig: &HealthRig, model: &str, version: &str, stall: Option<u64>) -> StageExecutions {
    let model = rig.executions.of(model, version);
    model.stage("execute", stall.map(secs))
}

fn readiness(report: &HealthReport) -> (HealthStatus, Option<Reason>) {
    (
        report.status(Group::Readiness),
        report.reason(Group::Readiness),
    )
}

const WELL: (HealthStatus, Option<Reason>) = (HealthStatus::Healthy, None);
const DEGRADED: (HealthStatus, Option<Reason>) = (HealthStatus::Degraded, Some(Reason::STALLED));
const OUT: (HealthStatus, Option<Reason>) = (HealthStatus::Unhealthy, Some(Reason::STALLED));

#[test]
fn there_is_no_check_where_nothing_is_executed() {
    let mut rig = rig(&[]);
    assert_eq!(rig.report().verdict("stalled"), None);
    rig.executions.foresee(false);
    rig.pass(TICK);
    assert_eq!(rig.verdict("stalled"), Verdict::Up, "idle is healthy");
}

#[test]
fn an_execution_that_hangs_degrades_and_recovers_by_itself() {
    let mut rig = rig(&[("digits", "1")]);
    let stage = execute(&rig, "digits", "1", None);
    stage.began(rig.now());
    rig.pass(secs(60));
    assert_eq!(readiness(&rig.report()), WELL, "slow to condemn");
    let versions = rig.board.subscribe();
    let before = *versions.borrow();
    rig.pass(TICK * 2);
    let report = rig.report();
    assert_eq!(readiness(&report), DEGRADED);
    assert!(*versions.borrow() > before, "who watches is told");
    assert!(!report.check("stalled").unwrap().hard);
    assert_eq!(report.is_model_ready("digits", None), Some(true));
    rig.pass(secs(3_600));
    assert_eq!(readiness(&rig.report()), DEGRADED, "never more than that");
    assert!(rig.report().status(Group::Liveness).serves());
    // a token, or a heartbeat
    rig.executions.of("digits", "1").get_on(rig.now());
    rig.pass(TICK);
    assert_eq!(readiness(&rig.report()), WELL);
}

#[test]
fn where_the_service_says_how_long_is_too_long_it_leaves_the_rotation() {
    let mut rig = rig(&[("digits", "1")]);
    let stage = execute(&rig, "digits", "1", Some(5));
    stage.began(rig.now());
    rig.pass(secs(5));
    let report = rig.report();
    assert_eq!(readiness(&report), WELL);
    assert!(report.check("stalled").unwrap().hard);
    rig.pass(TICK * 2);
    let report = rig.report();
    assert_eq!(rig.verdict("stalled"), Verdict::Down);
    assert_eq!(readiness(&report), OUT);
    assert_eq!(report.is_model_ready("digits", None), Some(false));
    assert!(
        report.status(Group::Liveness).serves(),
        "nobody restarts it"
    );
    let without = rig.board.report_without(&["stalled"]);
    assert_eq!(readiness(&without), WELL);
    stage.ended(rig.now());
    rig.pass(TICK);
    assert_eq!(readiness(&rig.report()), WELL);
}

#[test]
fn a_model_that_hangs_hides_behind_none_that_gets_on() {
    let mut rig = rig(&[("digits", "1")]);
    let letters = rig.slots.declare("letters", "1");
    letters.set_optional();
    letters.enter(Phase::Ready);
    execute(&rig, "letters", "1", Some(5)).began(rig.now());
    let busy = execute(&rig, "digits", "1", None);
    for _ in 0..6 {
        busy.began(rig.now());
        rig.pass(secs(1));
        busy.ended(rig.now());
    }
    let report = rig.report();
    assert_eq!(report.is_model_ready("letters", None), Some(false));
    assert_eq!(report.is_model_ready("digits", None), Some(true));
    let body = report.json();
    assert!(body.contains("\"reason\":\"stalled\""), "{body}");
    // the service can do without it
    assert_eq!(readiness(&report), DEGRADED);
    let news = rig.news.lock().unwrap();
    let told = news.iter().find_map(|one| match one {
        News::Check { name, error, .. } if *name == "stalled" => error.clone(),
        _ => None,
    });
    let told = told.expect("somebody has to know which one");
    assert!(
        told.contains("`execute` of model letters, version 1"),
        "{told}"
    );
}

#[test]
fn a_version_that_hangs_is_no_reason_to_leave_while_another_gets_on() {
    let mut rig = rig(&[("digits", "1"), ("digits", "2")]);
    let (old, new) = (
        execute(&rig, "digits", "1", Some(5)),
        execute(&rig, "digits", "2", Some(5)),
    );
    old.began(rig.now());
    rig.pass(secs(6));
    let report = rig.report();
    assert_eq!(readiness(&report), DEGRADED);
    assert_eq!(report.is_model_ready("digits", Some("1")), Some(false));
    assert_eq!(report.is_model_ready("digits", Some("2")), Some(true));
    new.began(rig.now());
    rig.pass(secs(6));
    assert_eq!(readiness(&rig.report()), OUT);
}

#[test]
fn what_belongs_to_no_model_is_the_service_itself() {
    let mut rig = rig(&[]);
    execute(&rig, "none", "none", Some(5)).began(rig.now());
    rig.pass(secs(6));
    assert_eq!(readiness(&rig.report()), OUT);
}

#[test]
fn a_burst_after_an_idle_time_has_its_own_clock() {
    let mut rig = rig(&[("digits", "1")]);
    let stage = execute(&rig, "digits", "1", Some(5));
    stage.began(rig.now());
    stage.ended(rig.now());
    rig.pass(secs(86_400));
    assert_eq!(readiness(&rig.report()), WELL, "idle is healthy");
    for _ in 0..3 {
        stage.began(rig.now());
    }
    rig.pass(secs(5));
    assert_eq!(readiness(&rig.report()), WELL);
    rig.pass(TICK * 2);
    assert_eq!(readiness(&rig.report()), OUT);
}

#[test]
fn a_freeze_is_no_stall() {
    let mut rig = rig(&[("digits", "1")]);
    execute(&rig, "digits", "1", Some(5)).began(rig.now());
    rig.pass(secs(3));
    rig.freeze(secs(3_600));
    rig.pass(TICK * 2);
    assert_eq!(readiness(&rig.report()), WELL);
    rig.pass(secs(2));
    assert_eq!(readiness(&rig.report()), OUT);
}
