//! Faults that were found once: by a clock that the test moves.

use crate::health::engine::Message;
use crate::health::report::Verdict;
use crate::health::rig::{HealthRig, Started, spec};
use crate::health::spec::{CheckRun, CheckSpec, StateType, Timing, report};
use crate::health::verdict::Health;
use crate::slot::state::Phase;
use crate::vocab::group::Group;
use crate::vocab::reason::Reason;
use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const DOWN: Health = Health::down(Reason::DEPENDENCY_UNAVAILABLE);

/// C = 5 s, T = 50 ms: R = 3 s, K = 1 s.
const FIVE: CheckSpec =
    spec("tokenizer").timing(Timing::NONE.cache(5_000_000_000).timeout(50_000_000));

#[test]
fn a_drain_may_last_until_somebody_ends_it() {
    let mut rig = HealthRig::new(&[FIVE]);
    rig.run_with(millis(1), |_| Some(Health::up()));
    rig.board.drain(Duration::MAX);
    assert!(rig.report().is_draining() && !rig.report().is_closing());
    assert!(!rig.report().status(Group::Readiness).serves());
    rig.run_with(secs(60), |_| Some(Health::up()));
    assert!(!rig.report().is_closing());
    rig.board.drain(Duration::ZERO);
    assert!(rig.report().is_closing());
}

#[test]
fn liveness_cannot_fail_before_startup_is_well() {
    let live = spec("loop").groups(&[Group::Liveness]);
    let mut rig = HealthRig::with(&[live], false, 8);
    let slot = rig.slots.declare("digits", "1");
    rig.run_with(secs(60), |_| Some(DOWN));
    assert!(!rig.report().status(Group::Startup).serves());
    assert!(rig.report().status(Group::Liveness).serves());
    slot.enter(Phase::Ready);
    assert!(rig.report().status(Group::Startup).serves());
    assert!(!rig.report().status(Group::Liveness).serves());
}

#[test]
fn liveness_stays_well_while_draining() {
    let live = spec("loop").groups(&[Group::Liveness]);
    let mut rig = HealthRig::new(&[live]);
    rig.run_with(millis(1), |_| Some(Health::up()));
    rig.board.drain(secs(60));
    rig.run_with(secs(30), |_| Some(DOWN));
    assert!(rig.report().status(Group::Liveness).serves());
    rig.run_with(secs(60), |_| Some(DOWN));
    assert!(rig.report().is_closing() && rig.report().status(Group::Liveness).serves());
}

#[test]
fn who_was_ready_once_drains_with_its_delay() {
    let mut rig = HealthRig::with(&[FIVE], false, 8);
    rig.slots.declare("digits", "1").enter(Phase::Ready);
    rig.run_with(millis(1), |_| Some(Health::up()));
    assert!(rig.report().status(Group::Readiness).serves());
    // balancers still send what they have sent a moment ago
    rig.slots.declare("letters", "1");
    rig.board.live(|life| life.held = true);
    rig.board.drain(secs(5));
    assert!(!rig.report().is_closing());
}

struct Store;

const STORE: CheckSpec = CheckSpec::new(
    "store",
    "test",
    CheckRun::SyncWith(StateType::of::<Store>(), |_| report(())),
);

fn provide(rig: &mut HealthRig) {
    let state = Message::Provide(TypeId::of::<Store>(), Arc::new(Store));
    rig.engine.tell(state);
}

#[test]
fn a_state_ends_no_initial_delay() {
    let late = STORE.timing(Timing::NONE.initial_delay(60_000_000_000));
    let mut rig = HealthRig::new(&[late]);
    provide(&mut rig);
    rig.pass(secs(59));
    provide(&mut rig);
    assert!(rig.started().is_empty());
    rig.pass(secs(2));
    assert_eq!(rig.started().len(), 1);
}

#[test]
fn a_check_that_found_no_room_need_not_wait_a_whole_refresh() {
    let slow = spec("a_slow").timing(Timing::NONE.timeout(4_000_000_000).refresh(1_000_000_000));
    let hourly =
        spec("hourly").timing(Timing::NONE.cache(3_600_000_000_000).timeout(5_000_000_000));
    let mut rig = HealthRig::with(&[slow, hourly], true, 1);
    // the first one takes 2 s of the only place there is
    let first = rig.engine.step();
    assert!(first > Duration::ZERO);
    let slow = rig.next_started().unwrap();
    assert_eq!(slow.id.check, 0);
    rig.begin(&slow);
    rig.pass(secs(2));
    rig.end(&slow, Health::up());
    rig.run_with(secs(10), |_| Some(Health::up()));
    assert_eq!(rig.verdict("hourly"), Verdict::Up);
}

#[test]
fn nobody_waits_for_a_check_that_has_no_state() {
    let mut rig = HealthRig::new(&[STORE]);
    let (tell, mut told) = futures_channel::oneshot::channel();
    rig.engine.tell(Message::Refresh("store".to_owned(), tell));
    rig.pass(secs(1));
    assert!(told.try_recv().is_err());
}

/// One failure of it is enough for a restart.
const LIVE: CheckSpec = FIVE
    .groups(&[Group::Liveness])
    .timing(FIVE.timing.failures(1));

fn until_a_run_begins(rig: &mut HealthRig) -> Started {
    loop {
        // not `pass`: it takes the run for itself
        rig.freeze(millis(50));
        rig.engine.step();
        if let Some(run) = rig.next_started() {
            rig.begin(&run);
            return run;
        }
    }
}

#[test]
fn a_freeze_is_no_timeout_of_what_ran_meanwhile() {
    let mut rig = HealthRig::new(&[LIVE]);
    rig.run_with(millis(1), |_| Some(Health::up()));
    let run = until_a_run_begins(&mut rig);
    rig.freeze(secs(60));
    // the scheduler is the first to go on
    rig.engine.step();
    assert!(rig.report().status(Group::Liveness).serves());
    rig.gone(&run);
    rig.run_with(secs(5), |_| Some(Health::up()));
    assert_eq!(rig.verdict("tokenizer"), Verdict::Up);

    let run = until_a_run_begins(&mut rig);
    rig.freeze(secs(60));
    // the check is
    rig.end(&run, Health::up());
    assert_eq!(rig.verdict("tokenizer"), Verdict::Expired);
    assert!(rig.report().status(Group::Liveness).serves());
}

#[test]
fn versions_may_come_and_go_for_ever() {
    let rig = HealthRig::with(&[], false, 8);
    let mut old = rig.slots.declare("digits", "0");
    old.enter(Phase::Ready);
    for version in 1..600 {
        let new = rig.slots.declare("digits", &version.to_string());
        new.enter(Phase::Ready);
        old.enter(Phase::Unloaded);
        old = new;
    }
    assert!(rig.report().status(Group::Readiness).serves());
    assert_eq!(rig.slots.all().len(), 512);
}

#[test]
fn a_new_optional_model_makes_nothing_unready_for_a_moment() {
    let mut rig = HealthRig::with(&[], false, 8);
    rig.slots.declare("digits", "1").enter(Phase::Ready);
    let ready = |rig: &HealthRig| rig.report().status(Group::Readiness).serves();
    let letters = rig.slots.declare("letters", "1");
    assert!(ready(&rig), "it may still become optional");
    letters.set_optional();
    rig.pass(secs(1));
    assert!(ready(&rig));
    let words = rig.slots.declare("words", "1");
    rig.pass(secs(1));
    assert!(ready(&rig), "nothing was done about it yet");
    words.enter(Phase::Loading);
    assert!(!ready(&rig), "it is needed");
    let transitions = rig.board.transitions();
    let times = transitions[&("readiness", "unhealthy", "model_loading")];
    assert_eq!(times, 2, "before the first model, and after the last");
}
