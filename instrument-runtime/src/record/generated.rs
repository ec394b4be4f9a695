//! What a request has generated so far, and the streams that keep it open.

use crate::vocab::finish_reason::FinishReason;
use crate::vocab::outcome::Outcome;
use crate::vocab::token_kind::TokenKind;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

const NEVER: u64 = u64::MAX;

/// Of one request.
#[derive(Debug)]
pub(crate) struct Generated {
    /// By [`TokenKind::index`].
    tokens: [AtomicU64; TokenKind::ALL.len()],
    /// Which kinds somebody has counted: a bit for each.
    told: AtomicU8,
    /// Ticks from the beginning of the request.
    first: AtomicU64,
    /// Ticks that tokens after the first took, and how many there were, of streams that have ended.
    rest: AtomicU64,
    after_first: AtomicU64,
    finish: OnceLock<FinishReason>,
    streams: Mutex<Streams>,
}

#[derive(Debug)]
struct Streams {
    open: u32,
    /// The handler has returned, and left the request to its streams.
    left_to_them: bool,
    /// How those ended that count.
    outcome: Outcome,
}

/// Of two endings, the one that says more.
fn worse(one: Outcome, other: Outcome) -> Outcome {
    let weight = |outcome| match outcome {
        Outcome::Ok => 0,
        Outcome::Cancelled => 1,
        Outcome::Rejected(_) | Outcome::Error(_) => 2,
        Outcome::Panicked => 3,
    };
    if weight(other) > weight(one) {
        other
    } else {
        one
    }
}

impl Default for Generated {
    fn default() -> Generated {
        Generated {
            tokens: Default::default(),
            told: AtomicU8::new(0),
            first: AtomicU64::new(NEVER),
            rest: AtomicU64::new(0),
            after_first: AtomicU64::new(0),
            finish: OnceLock::new(),
            streams: Mutex::new(Streams {
                open: 0,
                left_to_them: false,
                outcome: Outcome::Ok,
            }),
        }
    }
}

impl Generated {
    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, kind: TokenKind, tokens: u64) {
        let known = &self.tokens[kind.index()];
        let before = known.fetch_add(tokens, Ordering::AcqRel);
        if before.checked_add(tokens).is_none() {
            known.store(u64::MAX, Ordering::Release);
        }
        let told = 1 << kind.index();
        if self.told.load(Ordering::Acquire) & told == 0 {
            self.told.fetch_or(told, Ordering::AcqRel);
        }
    }

    /// `None` where nobody has counted them.
    pub(crate) fn tokens(&self, kind: TokenKind) -> Option<u64> {
        let told = self.told.load(Ordering::Acquire) & (1 << kind.index()) != 0;
        told.then(|| self.tokens[kind.index()].load(Ordering::Acquire))
    }

    /// A token has come; the first one counts. In ticks from the beginning of the request.
    pub(crate) fn came(&self, after: u64) {
        self.first.fetch_min(after, Ordering::AcqRel);
    }

    pub(crate) fn first(&self) -> Option<u64> {
        Some(self.first.load(Ordering::Acquire)).filter(|first| *first != NEVER)
    }

    /// A stream has ended in which so many tokens came after the first one, in so many ticks.
    pub(crate) fn add_rest(&self, ticks: u64, tokens: u64) {
        self.rest.fetch_add(ticks, Ordering::AcqRel);
        self.after_first.fetch_add(tokens, Ordering::AcqRel);
    }

    /// Ticks and tokens; `None` where there is nothing to divide.
    pub(crate) fn rest(&self) -> Option<(u64, u64)> {
        let tokens = self.after_first.load(Ordering::Acquire);
        (tokens > 0).then(|| (self.rest.load(Ordering::Acquire), tokens))
    }

    pub(crate) fn finish(&self, reason: FinishReason) {
        let _ = self.finish.set(reason);
    }

    pub(crate) fn finished(&self) -> Option<FinishReason> {
        self.finish.get().copied()
    }

    /// A stream begins. Whether it is the only one.
    pub(crate) fn open_stream(&self) -> bool {
        let mut streams = self.streams();
        streams.open += 1;
        let only = streams.open == 1;
        if only {
            // another attempt: what became of the last one was overcome
            streams.outcome = Outcome::Ok;
        }
        only
    }

    /// The handler returns. Whether there are streams to whose end the request is left.
    pub(crate) fn leave_to_streams(&self) -> bool {
        let mut streams = self.streams();
        streams.left_to_them = streams.open > 0;
        streams.left_to_them
    }

    /// Whether the request ends with the next stream that ends.
    pub(crate) fn is_last(&self) -> bool {
        let streams = self.streams();
        streams.left_to_them && streams.open == 1
    }

    /// A stream ends, of a request that a handler may leave to its streams. How the request ends, if it ends with it.
    /// `told`: it counts also where the handler has not returned, and still has to say what it comes to.
    pub(crate) fn close_stream(&self, outcome: Outcome, told: bool) -> Option<Outcome> {
        let mut streams = self.streams();
        streams.open = streams.open.saturating_sub(1);
        if told || streams.left_to_them {
            streams.outcome = worse(streams.outcome, outcome);
        }
        if !streams.left_to_them {
            return None;
        }
        let ends = streams.open == 0 || outcome == Outcome::Panicked;
        ends.then_some(streams.outcome)
    }

    /// A stream ends, of a request that a layer ends. `counts`: nobody in between has still to say what it comes to.
    pub(crate) fn note_stream(&self, outcome: Outcome, counts: bool) {
        let mut streams = self.streams();
        streams.open = streams.open.saturating_sub(1);
        if counts {
            streams.outcome = worse(streams.outcome, outcome);
        }
    }

    /// What went wrong in a stream that counts.
    pub(crate) fn failure(&self) -> Option<Outcome> {
        let outcome = self.streams().outcome;
        matches!(outcome, Outcome::Error(_) | Outcome::Rejected(_)).then_some(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::error_type::ErrorType;

    const FAILED: Outcome = Outcome::Error(ErrorType::CudaOom);

    #[test]
    fn the_last_stream_ends_the_request_with_what_went_wrong_in_any() {
        let generated = Generated::default();
        assert!(generated.open_stream() && !generated.open_stream());
        assert!(generated.leave_to_streams() && !generated.is_last());
        assert_eq!(generated.close_stream(FAILED, false), None);
        assert!(generated.is_last());
        let ends = generated.close_stream(Outcome::Cancelled, false);
        assert_eq!(ends, Some(FAILED));
    }

    #[test]
    fn a_handler_that_reads_its_stream_itself_says_what_it_comes_to() {
        let generated = Generated::default();
        generated.open_stream();
        assert_eq!(generated.close_stream(FAILED, false), None);
        assert!(!generated.leave_to_streams());
        assert_eq!(generated.failure(), None);
    }

    #[test]
    fn what_an_engine_tells_counts_whoever_comes_first() {
        let generated = Generated::default();
        generated.open_stream();
        assert_eq!(generated.close_stream(FAILED, true), None);
        assert!(!generated.leave_to_streams());
        assert_eq!(generated.failure(), Some(FAILED));
        generated.open_stream();
        assert_eq!(generated.failure(), None, "another attempt");
    }

    #[test]
    fn a_second_attempt_makes_up_for_the_first() {
        let generated = Generated::default();
        generated.open_stream();
        generated.note_stream(FAILED, true);
        assert_eq!(generated.failure(), Some(FAILED));
        generated.open_stream();
        generated.note_stream(Outcome::Ok, true);
        assert_eq!(generated.failure(), None);
    }

    #[test]
    fn numbers_that_nobody_has_stay_at_the_largest() {
        let generated = Generated::default();
        assert_eq!(generated.tokens(TokenKind::Output), None);
        generated.add(TokenKind::Output, 2);
        generated.add(TokenKind::Output, u64::MAX);
        assert_eq!(generated.tokens(TokenKind::Output), Some(u64::MAX));
    }
}
