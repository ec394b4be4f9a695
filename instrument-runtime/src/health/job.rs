//! What a check does when it is run: its function, and the state that it wants.

use crate::health::spec::{CheckFuture, CheckRun, Provided, StateType};
use crate::health::verdict::Report;
use std::any::{Any, TypeId};
use std::sync::Arc;

/// Something that a check does when it is run.
#[derive(Clone)]
pub(crate) enum Job {
    Sync(fn() -> Report),
    Async(fn() -> CheckFuture),
    SyncWith(fn(&(dyn std::any::Any + Send + Sync)) -> Report, Provided),
    AsyncWith(fn(Provided) -> CheckFuture, Provided),
}

impl Job {
    /// The state that it has.
    pub(crate) fn into_state(self) -> Option<Provided> {
        match self {
            Job::Sync(_) | Job::Async(_) => None,
            Job::SyncWith(_, state) | Job::AsyncWith(_, state) => Some(state),
        }
    }
}

/// The type of the state that a check wants.
pub(crate) fn state_type(run: CheckRun) -> Option<StateType> {
    match run {
        CheckRun::Sync(_) | CheckRun::Async(_) => None,
        CheckRun::SyncWith(state, _) | CheckRun::AsyncWith(state, _) => Some(state),
    }
}

/// The same, for comparing.
pub(crate) fn wanted(run: CheckRun) -> Option<TypeId> {
    state_type(run).map(|state| (state.id)())
}

/// What is run; `None` while the state is not there.
pub(crate) fn job(run: CheckRun, state: Option<&Provided>) -> Option<Job> {
    let state = state.filter(|state| {
        let held: &(dyn Any + Send + Sync) = &***state;
        wanted(run) == Some(held.type_id())
    });
    match run {
        CheckRun::Sync(check) => Some(Job::Sync(check)),
        CheckRun::Async(check) => Some(Job::Async(check)),
        CheckRun::SyncWith(_, check) => Some(Job::SyncWith(check, Arc::clone(state?))),
        CheckRun::AsyncWith(_, check) => Some(Job::AsyncWith(check, Arc::clone(state?))),
    }
}
