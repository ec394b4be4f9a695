//! What becomes of a service whose checks fail, hang, panic and are not run: by a clock that the test moves.

use crate::health::engine::Message;
use crate::health::news::News;
use crate::health::report::Verdict;
use crate::health::rig::{HealthRig, spec};
use crate::health::spec::{CheckRun, CheckSpec, StateType, Timing, report};
use crate::health::verdict::Health;
use crate::slot::devices::Fault;
use crate::slot::state::Phase;
use crate::vocab::group::{Group, HealthStatus};
use crate::vocab::reason::Reason;
use std::sync::atomic::Ordering;
use std::time::Duration;

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// C = 5 s, T = 50 ms: R = 3 s, K = 1 s, D = 4.1 s, S = 15 s.
const FIVE: CheckSpec = spec("tokenizer").timing(Timing {
    cache: Some(5_000_000_000),
    timeout: Some(50_000_000),
    ..Timing::NONE
});

const DOWN: Health = Health::down(Reason::DEPENDENCY_UNAVAILABLE);

#[test]
fn nothing_is_ready_before_it_was_looked_at() {
    let mut rig = HealthRig::new(&[FIVE]);
    let report = rig.report();
    assert_eq!(report.status(Group::Readiness), HealthStatus::Unhealthy);
    assert_eq!(report.reason(Group::Readiness), Some(Reason::STARTING));
    assert_eq!(report.status(Group::Liveness), HealthStatus::Healthy);
    rig.run_with(millis(1), |_| Some(Health::up()));
    assert_eq!(rig.report().status(Group::Readiness), HealthStatus::Healthy);
}

#[test]
fn the_first_result_decides_at_once() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(millis(1), |_| Some(DOWN));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Down);
    let reason = rig.report().reason(Group::Readiness);
    assert_eq!(reason, Some(Reason::DEPENDENCY_UNAVAILABLE));
}

#[test]
fn a_fault_shows_within_the_time_that_is_promised() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(secs(60), |_| Some(Health::up()));
    let broke = rig.now();
    // the worst moment is just after a run; whatever the moment is, D holds
    rig.run_with(millis(4_100), |_| Some(DOWN));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Down, "since {broke:?}");
    let mended = rig.now();
    rig.run_with(millis(3_050), |_| Some(Health::up()));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Up, "since {mended:?}");
}

#[test]
fn what_is_fatal_needs_no_second_look_and_is_not_for_ever() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(secs(10), |_| Some(Health::up()));
    rig.run_with(millis(3_050), |_| Some(Health::fatal(Reason::CUDA_ERROR)));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Down);
    rig.run_with(millis(3_050), |_| Some(Health::up()));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Up);
}

#[test]
fn failures_that_are_not_in_a_row_do_not_add_up() {
    let mut rig = HealthRig::new(&[FIVE]);
    let mut turn = 0_u32;
    rig.pass_with(secs(120), &mut |rig, run| {
        turn += 1;
        rig.begin(&run);
        rig.end(
            &run,
            if turn.is_multiple_of(2) {
                DOWN
            } else {
                Health::up()
            },
        );
        assert_ne!(rig.verdict("tokenizer"), Verdict::Down);
    });
    assert!(turn > 20);
}

#[test]
fn a_hung_check_is_judged_in_time_and_leaves_one_run_behind() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(secs(10), |_| Some(Health::up()));
    let before = rig.started().len();
    // it begins, and never returns
    rig.run_with(secs(100), |_| None);
    assert_eq!(rig.started().len(), before + 1);
    assert_eq!(rig.verdict("tokenizer"), Verdict::Down);
    assert_eq!(rig.report().reason(Group::Readiness), Some(Reason::HUNG));
    assert!(rig.stats[0].is_zombie());
    let run = rig.started().pop().unwrap();
    assert!(run.cancelled.load(Ordering::Acquire));
    // its late result says nothing, but the next run does
    rig.end(&run, Health::up());
    assert_eq!(rig.verdict("tokenizer"), Verdict::Down);
    rig.run_with(millis(1_001), |_| Some(Health::up()));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Up);
    assert_eq!(rig.stats[0].late_results(), 1);
}

#[test]
fn a_hung_check_shows_within_the_time_that_is_promised() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(secs(10), |_| Some(Health::up()));
    rig.run_with(millis(4_100), |_| None);
    assert_eq!(rig.verdict("tokenizer"), Verdict::Down);
}

#[test]
fn a_panic_is_a_failure_and_the_next_run_comes() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.pass_with(secs(20), &mut |rig, run| {
        rig.begin(&run);
        rig.panic(&run);
    });
    assert_eq!(rig.report().reason(Group::Readiness), Some(Reason::PANIC));
    rig.run_with(secs(4), |_| Some(Health::up()));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Up);
}

#[test]
fn a_check_that_is_not_run_says_nothing_until_it_is_too_old() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(millis(1), |_| Some(Health::up()));
    // started, and nobody comes to poll it
    rig.pass(secs(14));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Up);
    let report = rig.report();
    assert!(report.check("tokenizer").unwrap().stale);
    rig.pass(secs(2));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Expired);
    let report = rig.report();
    assert_eq!(report.reason(Group::Readiness), Some(Reason::STALE));
    assert!(rig.stats[0].runs()[7] >= 3, "{:?}", rig.stats[0].runs());
    // one run for all that time
    assert_eq!(rig.started().len(), 2);
}

#[test]
fn busy_is_not_dead() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(millis(1), |_| Some(Health::up()));
    *rig.progress.lock().unwrap() = Some(millis(300));
    rig.pass(secs(60));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Degraded);
    let report = rig.report();
    assert_eq!(report.status(Group::Readiness), HealthStatus::Degraded);
    assert!(report.check("tokenizer").unwrap().stale);
    *rig.progress.lock().unwrap() = Some(secs(20));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Expired);
}

#[test]
fn a_timeout_on_a_starved_runtime_is_no_failure() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.pretence.on_runtime.store(true, Ordering::Release);
    rig.run_with(secs(10), |_| Some(Health::up()));
    // nobody answers the heartbeat: the runtime is late by more than the timeout
    rig.run_with(secs(9), |_| None);
    assert_eq!(rig.verdict("tokenizer"), Verdict::Up);
    assert!(rig.stats[0].runs()[7] >= 2);
    // but one that is stuck inside of a poll is hung, whatever the runtime does
    let run = rig.started().pop().unwrap();
    rig.gone(&run);
    rig.pretence.inside.store(true, Ordering::Release);
    rig.run_with(secs(9), |_| None);
    assert_eq!(rig.report().reason(Group::Readiness), Some(Reason::HUNG));
}

#[test]
fn a_run_that_was_dropped_is_no_failure() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(millis(1), |_| Some(Health::up()));
    rig.pass_with(secs(9), &mut |rig, run| {
        rig.begin(&run);
        rig.gone(&run);
    });
    assert_eq!(rig.verdict("tokenizer"), Verdict::Up);
    assert!(rig.stats[0].runs()[7] >= 2);
}

#[test]
fn a_system_without_threads_is_no_failure_of_the_check() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(millis(1), |_| Some(Health::up()));
    rig.pretence.no_threads.store(true, Ordering::Release);
    rig.pass(secs(10));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Up);
    rig.pass(secs(10));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Expired);
}

#[test]
fn runs_begin_within_the_refresh_and_never_overlap() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(secs(300), |_| Some(Health::up()));
    let starts: Vec<_> = rig.started().iter().map(|run| run.at).collect();
    assert!(starts.len() >= 100, "{}", starts.len());
    for two in starts[1..].windows(2) {
        let gap = two[1].saturating_sub(two[0]);
        assert!(gap <= secs(3) && gap >= millis(2_700), "{gap:?}");
    }
}

#[test]
fn no_more_run_at_one_time_than_may() {
    let specs = ["a", "b", "c", "d", "e"].map(|name| {
        spec(name).timing(Timing {
            timeout: Some(500_000_000),
            ..Timing::NONE
        })
    });
    let mut rig = HealthRig::with(&specs, true, 2);
    rig.pass(millis(1));
    assert_eq!(rig.started().len(), 2);
    for run in rig.started() {
        rig.begin(&run);
        rig.end(&run, Health::up());
    }
    rig.pass(millis(10));
    assert_eq!(rig.started().len(), 4);
    // one that hangs gives its place back
    for run in rig.started().drain(2..) {
        rig.begin(&run);
    }
    assert!(!rig.started().iter().any(|run| run.id.check == 4));
    rig.pass(millis(520));
    assert!(rig.started().iter().any(|run| run.id.check == 4));
}

#[test]
fn whoever_asks_for_a_run_joins_the_one_under_way() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(secs(10), |_| Some(Health::up()));
    let before = rig.started().len();
    let (tell, mut told) = futures_channel::oneshot::channel();
    let (tell_too, mut told_too) = futures_channel::oneshot::channel();
    rig.engine.tell(Message::Refresh("tokenizer".into(), tell));
    rig.pass(millis(1));
    rig.engine
        .tell(Message::Refresh("tokenizer".into(), tell_too));
    rig.pass(millis(1));
    assert_eq!(rig.started().len(), before + 1);
    assert_eq!(told.try_recv(), Ok(None));
    let run = rig.started().pop().unwrap();
    rig.begin(&run);
    rig.end(&run, Health::up());
    assert_eq!(told.try_recv(), Ok(Some(())));
    assert_eq!(told_too.try_recv(), Ok(Some(())));
}

#[test]
fn a_soft_check_only_degrades() {
    let mut rig = HealthRig::new(&[FIVE, spec("redis").remote().soft()]);
    rig.run_with(secs(20), |check| {
        Some(if check == 0 { Health::up() } else { DOWN })
    });
    let report = rig.report();
    assert_eq!(report.status(Group::Readiness), HealthStatus::Degraded);
    assert_eq!(
        report.reason(Group::Readiness),
        Some(Reason::DEPENDENCY_UNAVAILABLE)
    );
}

#[test]
fn the_worst_reason_is_told_and_the_hard_one_first() {
    let soft = spec("a_soft").soft();
    let warned = spec("b_warned");
    let down = spec("c_down");
    let mut rig = HealthRig::new(&[soft, warned, down]);
    rig.run_with(millis(1), |check| {
        Some(match check {
            0 => DOWN,
            1 => Health::degraded(Reason::QUEUE_FULL),
            _ => Health::up(),
        })
    });
    let reason = rig.report().reason(Group::Readiness);
    assert_eq!(reason, Some(Reason::QUEUE_FULL));
    rig.run_with(secs(10), |_| Some(Health::fatal(Reason::GPU_LOST)));
    assert_eq!(
        rig.report().reason(Group::Readiness),
        Some(Reason::GPU_LOST)
    );
}

#[test]
fn liveness_waits_five_minutes_and_ignores_what_is_pending() {
    let live = spec("loop").groups(&[Group::Liveness]);
    let mut rig = HealthRig::new(&[live]);
    assert_eq!(rig.report().status(Group::Liveness), HealthStatus::Healthy);
    rig.run_with(millis(1), |_| Some(Health::up()));
    rig.pass(secs(299));
    assert_eq!(rig.report().status(Group::Liveness), HealthStatus::Healthy);
    rig.pass(secs(2));
    let report = rig.report();
    assert_eq!(report.status(Group::Liveness), HealthStatus::Unhealthy);
    assert_eq!(
        report.reason(Group::Liveness),
        Some(Reason::RUNTIME_STALLED)
    );
}

#[test]
fn a_dead_scheduler_makes_readiness_stale_and_then_fails_liveness() {
    let both = spec("loop").groups(&[Group::Liveness, Group::Readiness]);
    let mut rig = HealthRig::new(&[both]);
    rig.run_with(secs(10), |_| Some(Health::up()));
    for _ in 0..16 {
        rig.freeze(secs(1));
        rig.report();
    }
    let report = rig.report();
    assert_eq!(report.reason(Group::Readiness), Some(Reason::STALE));
    assert_eq!(report.status(Group::Liveness), HealthStatus::Healthy);
    for _ in 0..300 {
        rig.freeze(secs(1));
        rig.report();
    }
    assert_eq!(
        rig.report().status(Group::Liveness),
        HealthStatus::Unhealthy
    );
}

#[test]
fn a_thaw_never_restarts() {
    let both = spec("loop").groups(&[Group::Liveness, Group::Readiness]);
    let mut rig = HealthRig::new(&[both]);
    rig.run_with(secs(10), |_| Some(Health::up()));
    // nobody asks and nothing runs for an hour; then a probe comes before the scheduler
    rig.freeze(secs(3_600));
    let report = rig.report();
    assert!(report.status(Group::Liveness).serves());
    assert_eq!(report.reason(Group::Readiness), Some(Reason::STALE));
    rig.run_with(secs(4), |_| Some(Health::up()));
    assert_eq!(rig.report().status(Group::Readiness), HealthStatus::Healthy);
}

#[test]
fn expiry_is_published_though_nobody_asks() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(millis(1), |_| Some(Health::up()));
    let versions = rig.board.subscribe();
    rig.pass(secs(14));
    let before = *versions.borrow();
    rig.pass(millis(1_250));
    assert!(*versions.borrow() > before);
    assert_eq!(rig.report().reason(Group::Readiness), Some(Reason::STALE));
}

#[test]
fn startup_is_for_ever_once_it_is_well() {
    let start = spec("warm").groups(&[Group::Startup]);
    let mut rig = HealthRig::new(&[start]);
    assert!(!rig.report().status(Group::Startup).serves());
    rig.run_with(secs(10), |_| Some(Health::up()));
    rig.run_with(secs(10), |_| Some(DOWN));
    assert_eq!(rig.verdict("warm"), Verdict::Down);
    assert!(rig.report().status(Group::Startup).serves());
}

#[test]
fn models_decide_readiness_and_each_for_itself() {
    let mut rig = HealthRig::with(&[FIVE], false, 8);
    rig.run_with(millis(1), |_| Some(Health::up()));
    let reason = |rig: &HealthRig| rig.report().reason(Group::Readiness);
    assert_eq!(reason(&rig), Some(Reason::MODEL_NOT_LOADED));
    let old = rig.slots.declare("digits", "1");
    assert_eq!(reason(&rig), Some(Reason::MODEL_LOADING));
    old.enter(Phase::Failed);
    assert_eq!(reason(&rig), Some(Reason::MODEL_LOAD_FAILED));
    old.enter(Phase::Ready);
    assert_eq!(reason(&rig), None);
    // a new version comes while the old one serves
    let new = rig.slots.declare("digits", "2");
    assert_eq!(reason(&rig), None);
    let report = rig.report();
    assert_eq!(report.is_model_ready("digits", Some("2")), Some(false));
    assert_eq!(report.is_model_ready("digits", None), Some(true));
    assert_eq!(report.is_model_ready("letters", None), None);
    new.enter(Phase::Ready);
    old.enter(Phase::Unloaded);
    assert_eq!(reason(&rig), None);
    new.enter(Phase::Unloaded);
    assert_eq!(reason(&rig), Some(Reason::MODEL_NOT_LOADED));
}

#[test]
fn an_optional_model_that_fails_fails_alone() {
    let rig = HealthRig::with(&[], false, 8);
    rig.slots.declare("digits", "1").enter(Phase::Ready);
    let extra = rig.slots.declare("letters", "1");
    extra.set_optional();
    extra.enter(Phase::Failed);
    let report = rig.report();
    assert_eq!(report.status(Group::Readiness), HealthStatus::Healthy);
    assert_eq!(report.is_model_ready("letters", None), Some(false));
}

#[test]
fn a_check_of_a_model_is_that_models_own() {
    let mut rig = HealthRig::with(&[spec("letters_ok").model("letters")], false, 8);
    rig.slots.declare("digits", "1").enter(Phase::Ready);
    let letters = rig.slots.declare("letters", "1");
    letters.set_optional();
    letters.enter(Phase::Ready);
    rig.run_with(secs(20), |_| Some(DOWN));
    let report = rig.report();
    assert_eq!(report.is_model_ready("letters", None), Some(false));
    assert_eq!(report.is_model_ready("digits", None), Some(true));
    assert_eq!(report.status(Group::Readiness), HealthStatus::Degraded);
}

#[test]
fn the_life_of_the_service_beats_its_checks() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(millis(1), |_| Some(Health::up()));
    let board = rig.board.clone();
    let reason = || board.report().reason(Group::Readiness);
    board.live(|life| life.held = true);
    assert_eq!(reason(), Some(Reason::STARTING));
    board.live(|life| life.held = false);
    board.live(|life| life.maintenance = true);
    assert_eq!(reason(), Some(Reason::MAINTENANCE));
    board.live(|life| life.maintenance = false);
    assert_eq!(reason(), None);
    board.drain(secs(5));
    board.live(|life| life.maintenance = true);
    board.live(|life| life.maintenance = false);
    assert_eq!(reason(), Some(Reason::DRAINING));
    let report = board.report();
    assert!(report.status(Group::Liveness).serves() && report.status(Group::Startup).serves());
    assert!(!report.is_closing());
    rig.run_with(millis(5_250), |_| Some(Health::up()));
    assert!(board.report().is_closing());
}

#[test]
fn a_second_demand_ends_the_delay_and_a_start_has_none() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(millis(1), |_| Some(Health::up()));
    rig.board.drain(secs(5));
    rig.board.drain(Duration::ZERO);
    assert!(rig.board.report().is_closing());

    let starting = HealthRig::new(&[FIVE]);
    starting.board.drain(secs(5));
    assert!(starting.board.report().is_closing());
}

#[test]
fn every_transition_is_told_once() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(secs(60), |_| Some(Health::up()));
    rig.run_with(secs(60), |_| Some(DOWN));
    let transitions = rig.board.transitions();
    let readiness: Vec<_> = transitions
        .iter()
        .filter(|((group, _, _), _)| *group == "readiness")
        .map(|((_, to, reason), times)| (*to, *reason, *times))
        .collect();
    let expected = [
        ("healthy", "", 1),
        ("unhealthy", "dependency_unavailable", 1),
    ];
    assert_eq!(readiness, expected);
    let news = rig.news.lock().unwrap();
    let of_readiness = |one: &&News| matches!(one, News::Group(Group::Readiness, _));
    assert_eq!(news.iter().filter(of_readiness).count(), 2);
    let of_check: Vec<_> = news
        .iter()
        .filter_map(|one| match one {
            News::Check { verdict, .. } => Some(*verdict),
            News::Group(..) | News::Waits { .. } => None,
        })
        .collect();
    assert_eq!(of_check, [Verdict::Down]);
}

#[test]
fn whoever_has_no_patience_decides_nothing() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(secs(10), |_| Some(Health::up()));
    let (tell, told) = futures_channel::oneshot::channel();
    rig.engine.tell(Message::Refresh("tokenizer".into(), tell));
    rig.pass(millis(1));
    drop(told);
    let run = rig.started().pop().unwrap();
    rig.begin(&run);
    rig.end(&run, Health::fatal(Reason::CUDA_ERROR));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Down);
}

#[test]
fn replicas_that_start_together_do_not_ask_together() {
    let remote = spec("redis").remote().soft();
    let mut firsts = Vec::new();
    let mut seconds = Vec::new();
    for _ in 0..40 {
        let mut rig = HealthRig::new(&[remote]);
        rig.run_with(secs(10), |_| Some(Health::up()));
        firsts.push(rig.started()[0].at);
        seconds.push(rig.started()[1].at);
    }
    // the first look is spread over a second, the second over a whole period
    let spread = |times: &[Duration]| {
        let (first, last) = (times.iter().min(), times.iter().max());
        last.unwrap().saturating_sub(*first.unwrap())
    };
    assert!(firsts.iter().all(|at| *at <= secs(1)), "{firsts:?}");
    assert!(spread(&firsts) > millis(500), "{firsts:?}");
    assert!(spread(&seconds) > millis(1_500), "{seconds:?}");
}

#[test]
fn that_a_service_starts_is_no_news() {
    let mut rig = HealthRig::with(&[FIVE], false, 8);
    let slot = rig.slots.declare("digits", "1");
    rig.run_with(millis(1), |_| Some(Health::up()));
    assert!(rig.news.lock().unwrap().is_empty());
    slot.enter(Phase::Failed);
    let told = rig.news.lock().unwrap().len();
    assert!(told > 0, "but that it cannot is");
}

#[test]
fn a_state_that_does_not_come_is_asked_for_once() {
    const WANTS: CheckSpec = CheckSpec::new(
        "vocabulary",
        "test",
        CheckRun::SyncWith(StateType::of::<String>(), |_| report(())),
    );
    let mut rig = HealthRig::new(&[WANTS]);
    rig.pass(secs(60));
    let news = rig.news.lock().unwrap();
    let asked = |one: &&News| matches!(one, News::Waits { name: "vocabulary", wanted } if wanted.contains("String"));
    assert_eq!(news.iter().filter(asked).count(), 1);
    assert_eq!(rig.verdict("vocabulary"), Verdict::Pending);
}

#[test]
fn a_broken_device_takes_the_service_out_at_once() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(secs(1), |_| Some(Health::up()));
    let report = rig.report();
    assert_eq!(report.gpu_health(), None, "none is expected");
    assert_eq!(report.verdict("device"), None);
    rig.devices.see(Some(Vec::new()));
    assert_eq!(rig.report().gpu_health(), Some(true));
    assert_eq!(rig.verdict("device"), Verdict::Up);
    let steps = [
        (Fault::Lost, Reason::GPU_LOST),
        (Fault::Xid(79), Reason::DEVICE_FAULT),
        (Fault::Uncorrectable, Reason::DEVICE_FAULT),
    ];
    for (fault, reason) in steps {
        let before = rig.report().version();
        rig.devices.see(Some(vec![fault]));
        let report = rig.report();
        assert!(report.version() > before, "who watches is told");
        assert_eq!(report.gpu_health(), Some(false));
        assert_eq!(report.reason(Group::Readiness), Some(reason));
        assert!(report.json().contains("\"gpu_health\":false"));
        assert_eq!(
            report.status(Group::Liveness),
            HealthStatus::Healthy,
            "nobody is restarted for it"
        );
        rig.devices.see(Some(Vec::new()));
        assert_eq!(rig.report().status(Group::Readiness), HealthStatus::Healthy);
    }
    rig.devices.breaks("0");
    let reason = rig.report().reason(Group::Readiness);
    assert_eq!(reason, Some(Reason::DEVICE_FAULT));
}

#[test]
fn who_cannot_be_asked_about_devices_says_nothing_about_them() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(secs(1), |_| Some(Health::up()));
    rig.devices.see(Some(vec![]));
    // no library, no permission, an unknown error
    rig.devices.see(None);
    let report = rig.report();
    assert_eq!(report.gpu_health(), None);
    assert_eq!(report.status(Group::Readiness), HealthStatus::Healthy);
}
