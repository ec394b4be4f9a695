//! What went wrong in the stages of a request, and where first: for the blame when the request itself fails.

use crate::vocab::error_type::ErrorType;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A stage that failed, and has not been overcome.
#[derive(Debug, Clone, Copy)]
struct Failure {
    stage: &'static str,
    error: ErrorType,
    /// When that stage began, in ticks.
    start: u64,
}

/// A stage, and when it began, in ticks.
type Begun = (&'static str, u64);

#[derive(Debug, Default)]
struct Known {
    /// The first of each error type, in the order in which they came: there are ten types at most.
    failures: Vec<Failure>,
    /// Where the client left.
    dropped: Option<Begun>,
    /// Stages that are open in a queue or in a batch: they are not dropped together with the request.
    away: Vec<Begun>,
}

/// Of one request.
#[derive(Debug, Default)]
pub(crate) struct Troubles(Mutex<Known>);

impl Troubles {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stage failed. The first of its kind counts: errors travel outwards.
    pub(crate) fn failed(&self, stage: &'static str, error: ErrorType, start: u64) {
        let mut known = self.known();
        if known.failures.iter().all(|failure| failure.error != error) {
            known.failures.push(Failure {
                stage,
                error,
                start,
            });
        }
    }

    /// A stage was dropped because the request is. The innermost one is dropped first.
    pub(crate) fn dropped(&self, stage: &'static str, start: u64) {
        self.known().dropped.get_or_insert((stage, start));
    }

    /// The request waits for what a queue or a batch does for it.
    pub(crate) fn goes_away(&self, stage: &'static str, start: u64) {
        self.known().away.push((stage, start));
    }

    /// That stage ends.
    pub(crate) fn comes_back(&self, stage: &'static str, start: u64) {
        let away = &mut self.known().away;
        if let Some(at) = away.iter().position(|one| *one == (stage, start)) {
            away.swap_remove(at);
        }
    }

    /// Forgets what went wrong in stages that began since: one around them ended well. Whether anything is left.
    pub(crate) fn forget_since(&self, start: u64) -> bool {
        let mut known = self.known();
        known.failures.retain(|failure| failure.start < start);
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

    /// Where the client left: the last to begin of what was dropped and what is away.
    pub(crate) fn left_in(&self) -> Option<&'static str> {
        let known = self.known();
        let open = known.dropped.iter().chain(&known.away);
        open.max_by_key(|(_, start)| *start)
            .map(|(stage, _)| *stage)
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
        troubles.dropped("decode", 20);
        troubles.dropped("execute", 10);
        assert_eq!(troubles.left_in(), Some("decode"));
    }

    #[test]
    fn a_client_leaves_in_the_queue_or_batch_that_its_request_is_in() {
        let troubles = Troubles::default();
        troubles.goes_away("queue", 10);
        assert_eq!(troubles.left_in(), Some("queue"));
        troubles.comes_back("queue", 10);
        assert_eq!(troubles.left_in(), None);
        troubles.goes_away("execute", 20);
        troubles.dropped("postprocess", 5);
        assert_eq!(troubles.left_in(), Some("execute"), "it began within");
        troubles.goes_away("log", 3);
        troubles.comes_back("execute", 20);
        assert_eq!(troubles.left_in(), Some("postprocess"), "it began later");
    }
}
