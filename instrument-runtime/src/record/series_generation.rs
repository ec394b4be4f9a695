//! What the events of generated tokens do to the instruments.

use crate::record::attributes::Attributes;
use crate::record::budget::Budget;
use crate::record::clock::Clock;
use crate::record::observed::Progress;
use crate::vocab::token_kind::TokenKind;
use opentelemetry::metrics::{BoundCounter, BoundHistogram, Counter, Histogram};
use std::sync::{Arc, OnceLock};

/// Of a chunk with more tokens than this, so many observations are made, and their sum is still exact: whoever collects
/// must not wait for a number that a service made up.
const MOST_OBSERVATIONS: u32 = 1 << 14;

/// What an event of these series says; durations are in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Said {
    /// A chunk came so long after the one before it; how many tokens it has is the event's number.
    Gap,
    /// The reader took so long to ask for more.
    Held,
    /// A request has ended with so many tokens of this kind.
    Input,
    Output,
    CachedInput,
    /// A request has ended: how long it took, its first token, and the time that so many more tokens took.
    Took,
    First,
    Rest,
    /// A sequence was put aside.
    Preempted,
}

impl Said {
    const ALL: [Said; 9] = [
        Said::Gap,
        Said::Held,
        Said::Input,
        Said::Output,
        Said::CachedInput,
        Said::Took,
        Said::First,
        Said::Rest,
        Said::Preempted,
    ];

    pub(crate) const fn tokens(kind: TokenKind) -> Said {
        match kind {
            TokenKind::Input => Said::Input,
            TokenKind::Output => Said::Output,
            TokenKind::CachedInput => Said::CachedInput,
        }
    }

    fn of(kind: u8) -> Option<Said> {
        Said::ALL.get(usize::from(kind)).copied()
    }
}

/// A point of a histogram that is there once something was recorded.
#[derive(Debug)]
pub(crate) struct Point {
    histogram: Histogram<f64>,
    attributes: Attributes,
    budget: Arc<Budget>,
    lines: usize,
    bound: OnceLock<BoundHistogram<f64>>,
}

impl Point {
    pub(crate) fn new(
        histogram: Histogram<f64>,
        attributes: Attributes,
        budget: &Arc<Budget>,
        lines: usize,
    ) -> Point {
        Point {
            histogram,
            attributes,
            budget: Arc::clone(budget),
            lines,
            bound: OnceLock::new(),
        }
    }

    fn bound(&self) -> &BoundHistogram<f64> {
        self.bound.get_or_init(|| {
            self.budget.spend(self.lines);
            self.histogram.bind(&self.attributes)
        })
    }
}

/// The tokens of one model.
#[derive(Debug)]
pub(crate) struct GenerationSeries {
    pub(crate) clock: Clock,
    pub(crate) gaps: Point,
    pub(crate) backpressure: Counter<f64>,
    pub(crate) attributes: Attributes,
    pub(crate) held: OnceLock<BoundCounter<f64>>,
    pub(crate) preemptions: Counter<u64>,
    pub(crate) preempted: OnceLock<BoundCounter<u64>>,
    /// By [`TokenKind::index`].
    pub(crate) tokens: [Point; TokenKind::ALL.len()],
    pub(crate) progress: Arc<Progress>,
}

impl GenerationSeries {
    pub(crate) fn apply(&self, kind: u8, many: u32, value: u64) {
        let tokens = |kind: TokenKind| {
            #[allow(clippy::cast_precision_loss, reason = "nobody has 2^52 tokens")]
            self.tokens[kind.index()].bound().record(value as f64);
        };
        match Said::of(kind) {
            Some(Said::Gap) => {
                let many = many.clamp(1, MOST_OBSERVATIONS);
                let each = self.clock.seconds(value) / f64::from(many);
                let gaps = self.gaps.bound();
                (0..many).for_each(|_| gaps.record(each));
                self.progress.now(&self.clock);
            }
            Some(Said::Held) => {
                let held = || self.backpressure.bind(&self.attributes);
                self.held.get_or_init(held).add(self.clock.seconds(value));
            }
            Some(Said::Input) => tokens(TokenKind::Input),
            Some(Said::Output) => tokens(TokenKind::Output),
            Some(Said::CachedInput) => tokens(TokenKind::CachedInput),
            Some(Said::Preempted) => {
                let preempted = || self.preemptions.bind(&self.attributes);
                self.preempted.get_or_init(preempted).add(value);
            }
            Some(Said::Took | Said::First | Said::Rest) | None => {}
        }
    }
}

/// The requests of one model, in the names of the `GenAI` conventions; those that failed apart, by type of error.
#[derive(Debug)]
pub(crate) struct GenAiSeries {
    pub(crate) clock: Clock,
    pub(crate) took: Point,
    pub(crate) first: Point,
    pub(crate) rest: Point,
}

impl GenAiSeries {
    pub(crate) fn apply(&self, kind: u8, many: u32, value: u64) {
        let seconds = self.clock.seconds(value);
        match Said::of(kind) {
            Some(Said::Took) => self.took.bound().record(seconds),
            Some(Said::First) => self.first.bound().record(seconds),
            Some(Said::Rest) => self.rest.bound().record(seconds / f64::from(many.max(1))),
            _ => {}
        }
    }
}
