//! Spans of `tracing`, held for as long as stages and requests last.
//!
//! Nothing of ours is locked or half done while a subscriber runs, and what it does itself makes no spans. It may panic:
//! that goes on as if the service had called it, and all that was begun ends.

use crate::site::callsite::SpanKind;
use crate::site::site::Site;
use crate::vocab::foreign::contained;
use crate::vocab::outcome::Outcome;
use std::cell::{Cell, RefCell};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use tracing::Span;
use tracing::field::Value;

/// Filled in at the end of every kind of span.
pub(crate) const OUTCOME: &str = "outcome";
/// Filled in where that is `error`.
pub(crate) const ERROR_TYPE: &str = "error_type";

thread_local! {
    /// A subscriber runs, for one of our spans.
    static BUSY: Cell<bool> = const { Cell::new(false) };
    /// See [`Inside::park`].
    static PARKED: RefCell<Vec<Inside>> = const { RefCell::new(Vec::new()) };
}

/// Calls a subscriber. What is annotated in there makes no spans: that might never end.
fn ask<R: Default>(subscriber: impl FnOnce() -> R) -> R {
    struct Asked(bool);
    impl Drop for Asked {
        fn drop(&mut self) {
            BUSY.set(self.0);
        }
    }
    let _asked = Asked(BUSY.replace(true));
    if thread::panicking() {
        // out of a destructor, a second panic would end the process
        return contained(subscriber).unwrap_or_default();
    }
    subscriber()
}

/// A span, or none where nobody wants it. It closes when the last one is dropped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Traced(
    // a subscriber does not decide whether a user's future is `UnwindSafe`
    Option<Arc<AssertUnwindSafe<Span>>>,
);

impl Traced {
    pub(crate) const NONE: Traced = Traced(None);

    /// A new one at this site, if the subscriber of this thread wants it; a value for each field of its kind.
    pub(crate) fn begin(
        site: &'static Site,
        kind: &SpanKind,
        values: &[Option<&dyn Value>],
    ) -> Traced {
        if BUSY.get() {
            return Traced::NONE;
        }
        ask(|| {
            let Some(metadata) = site.callsite.wanted(kind, site.module, site.at) else {
                return Traced::NONE;
            };
            let values = metadata.fields().value_set_all(values);
            Traced(Some(Arc::new(AssertUnwindSafe(Span::new(
                metadata, &values,
            )))))
        })
    }

    /// The one that this thread is in.
    pub(crate) fn current() -> Traced {
        ask(|| {
            let current = Span::current();
            if current.is_disabled() {
                return Traced::NONE;
            }
            Traced(Some(Arc::new(AssertUnwindSafe(current))))
        })
    }

    #[inline]
    pub(crate) const fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Whether both are one span, or both none.
    pub(crate) fn is(&self, other: &Traced) -> bool {
        let id = |span: &Traced| span.0.as_ref().and_then(|span| span.id());
        id(self) == id(other)
    }

    /// It was brought about by another one.
    pub(crate) fn follows_from(&self, other: &Traced) {
        if let (Some(span), Some(other)) = (&self.0, &other.0) {
            ask(|| {
                span.follows_from(other.id());
            });
        }
    }

    /// More is known of what it shows.
    pub(crate) fn fill(&self, texts: &[(&'static str, Option<&str>)]) {
        let Some(span) = &self.0 else { return };
        ask(|| {
            for (field, text) in texts {
                if let Some(text) = text {
                    span.record(*field, *text);
                }
            }
        });
    }

    /// What runs on this thread is a part of it until the guard is dropped.
    #[inline]
    pub(crate) fn enter(&self) -> Inside {
        if self.is_some() {
            self.enter_seen()
        } else {
            Inside::NOWHERE
        }
    }

    #[cold]
    #[inline(never)]
    fn enter_seen(&self) -> Inside {
        self.clone().into_entered()
    }

    /// The same, for those that enter it once.
    #[inline]
    pub(crate) fn into_entered(self) -> Inside {
        // first: a subscriber may have entered it when it panics
        let inside = Inside(self);
        if let Some(span) = &inside.0.0 {
            change(span, true);
        }
        inside
    }

    /// Enters it, and parks that even where a subscriber panics: somebody will unpark it.
    pub(crate) fn park_entered(self) {
        struct Parks(Inside);
        impl Drop for Parks {
            fn drop(&mut self) {
                std::mem::take(&mut self.0).park();
            }
        }
        let parks = Parks(Inside(self));
        if let Some(span) = &parks.0.0.0 {
            change(span, true);
        }
    }

    /// What it shows has ended.
    #[inline]
    pub(crate) fn ended(&self, outcome: Outcome) {
        if let Some(span) = &self.0 {
            record_outcome(span, outcome);
        }
    }
}

impl Drop for Traced {
    #[inline]
    fn drop(&mut self) {
        if let Some(span) = self.0.take() {
            close(span);
        }
    }
}

/// This thread is inside of a span, or of none. Dropped on the thread on which it was entered.
#[derive(Debug, Default)]
pub(crate) struct Inside(Traced);

impl Inside {
    pub(crate) const NOWHERE: Inside = Inside(Traced::NONE);

    #[inline]
    pub(crate) const fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Keeps it for whoever ends what it shows, in the order in which functions return: a word less in each guard.
    #[cold]
    pub(crate) fn park(self) {
        // a thread that is ending has no place for it: it is left at once
        let _ = PARKED.try_with(|parked| parked.borrow_mut().push(self));
    }

    /// The one that was parked last.
    #[cold]
    pub(crate) fn unpark() -> Inside {
        let parked = PARKED.try_with(|parked| parked.borrow_mut().pop());
        parked.ok().flatten().unwrap_or_default()
    }

    /// What the span shows has ended.
    #[inline]
    pub(crate) fn ended(self, outcome: Outcome) {
        self.0.ended(outcome);
    }

    /// What it shows goes on, elsewhere.
    pub(crate) fn leave(mut self) -> Traced {
        // not by its destructor: what a function is about to return is lost when one panics
        let traced = std::mem::take(&mut self.0);
        if let Some(span) = &traced.0 {
            change(span, false);
        }
        traced
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        if let Some(span) = &self.0.0 {
            change(span, false);
        }
    }
}

/// The span of a request, until that ends.
#[derive(Debug)]
pub(crate) struct RequestSpan {
    is_seen: bool,
    span: Mutex<Traced>,
}

impl RequestSpan {
    pub(crate) fn new(span: Traced) -> RequestSpan {
        RequestSpan {
            is_seen: span.is_some(),
            span: Mutex::new(span),
        }
    }

    pub(crate) fn get(&self) -> Traced {
        self.look(|span| span.clone())
    }

    /// The request ends.
    pub(crate) fn take(&self) -> Traced {
        self.look(std::mem::take)
    }

    fn look(&self, look: impl FnOnce(&mut Traced) -> Traced) -> Traced {
        if !self.is_seen {
            return Traced::NONE;
        }
        look(&mut self.span.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cold]
fn record_outcome(span: &Span, outcome: Outcome) {
    ask(|| {
        span.record(OUTCOME, outcome.as_str());
        if let Outcome::Error(error) = outcome {
            span.record(ERROR_TYPE, error.as_str());
        }
    });
}

#[cold]
fn change(span: &Span, enters: bool) {
    ask(|| {
        span.with_subscriber(|(id, subscriber)| {
            if enters {
                subscriber.enter(id);
            } else {
                subscriber.exit(id);
            }
        });
    });
}

#[cold]
fn close(span: Arc<AssertUnwindSafe<Span>>) {
    ask(|| drop(span));
}
