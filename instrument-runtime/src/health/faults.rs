//! Faults that were found once: by a clock that the test moves.

use crate::health::rig::{HealthRig, spec};
use crate::health::spec::{CheckSpec, Timing};
use crate::health::verdict::Health;
use crate::vocab::group::Group;
use std::time::Duration;

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

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
