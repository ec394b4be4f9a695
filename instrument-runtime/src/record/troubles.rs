//! What went wrong in the stages of a request, and where first: for the blame when the request itself fails.

use crate::vocab::error_type::ErrorType;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A stage that failed, and has not been overcome.
#[derive(Debug, Clone, Copy)]
struct Failure {
    stage: &'static str,
    error: ErrorType,
    /// When that stage ended, in ticks.
    at: u64,
}

#[derive(Debug, Default)]
struct Known {
    /// The first of each error type, in the order in which they came: there are ten types at most.
    failures: Vec<Failure>,
    /// Where the client left.
    dropped: Option<&'static str>,
}

/// Of one request.
#[derive(Debug, Default)]
pub(crate) struct Troubles(Mutex<Known>);

impl Troubles {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stage failed. The first of its kind counts: errors travel outwards.
    pub(crate) fn failed(&self, stage: &'static str, error: ErrorType, at: u64) {
        let mut known = self.known();
        if known.failures.iter().all(|failure| failure.error != error) {
            known.failures.push(Failure { stage, error, at });
        }
    }

    /// A stage was dropped because the request is. The innermost one is dropped first.
    pub(crate) fn dropped(&self, stage: &'static str) {
        self.known().dropped.get_or_insert(stage);
    }

    /// Forgets what went wrong since: a stage around it ended well. Whether anything is left.
    pub(crate) fn forget_since(&self, start: u64) -> bool {
        let mut known = self.known();
        known.failures.retain(|failure| failure.at < start);
        !known.failures.is_empty()
    }

    /// Where the error was born that the request ended with, and what it is. A request that says nothing about its error
    /// ends with what went wrong first in one of its stages.
    pub(crate) fn born(&self, error: ErrorType) -> Option<(&'static str, ErrorType)> {
        let known = self.known();
        let same = known.failures.iter().find(|failure| failure.error == error);
        let first = known
            .failures
            .first()
            .filter(|_| error == ErrorType::Internal);
        same.or(first).map(|failure| (failure.stage, failure.error))
    }

    /// Where the client left.
    pub(crate) fn dropped_in(&self) -> Option<&'static str> {
        self.known().dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stage_is_the_one_where_this_error_was_born() {
        let troubles = Troubles::default();
        troubles.failed("cache", ErrorType::DependencyTimeout, 10);
        troubles.failed("execute", ErrorType::CudaOom, 20);
        troubles.failed("postprocess", ErrorType::CudaOom, 30);
        assert_eq!(
            troubles.born(ErrorType::CudaOom),
            Some(("execute", ErrorType::CudaOom))
        );
        assert_eq!(troubles.born(ErrorType::Unavailable), None);
        let hidden = troubles.born(ErrorType::Internal);
        assert_eq!(hidden, Some(("cache", ErrorType::DependencyTimeout)));
    }

    #[test]
    fn what_was_overcome_is_forgotten() {
        let troubles = Troubles::default();
        troubles.failed("cache", ErrorType::Internal, 10);
        troubles.failed("execute", ErrorType::CudaOom, 20);
        assert!(troubles.forget_since(15), "the first is left");
        assert_eq!(troubles.born(ErrorType::CudaOom), None);
        assert!(!troubles.forget_since(5));
    }

    #[test]
    fn the_innermost_stage_is_where_the_client_left() {
        let troubles = Troubles::default();
        troubles.dropped("decode");
        troubles.dropped("execute");
        assert_eq!(troubles.dropped_in(), Some("decode"));
    }
}
