//! What `tracing` knows of a site: subscribers see the user's own file, line and module, and filter by them.
//!
//! Registered when it is first reached while somebody listens, so that generated code carries nothing for it.

use std::panic::{AssertUnwindSafe, Location};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use tracing::callsite::{self, Identifier};
use tracing::field::FieldSet;
use tracing::level_filters::{LevelFilter, STATIC_MAX_LEVEL};
use tracing::metadata::Kind;
use tracing::subscriber::Interest;
use tracing::{Callsite, Level, Metadata, dispatcher};

const UNREGISTERED: u8 = 0;
/// Somebody registers it: until that is done, the subscriber is asked each time.
const REGISTERING: u8 = 1;
const NEVER: u8 = 2;
const SOMETIMES: u8 = 3;
const ALWAYS: u8 = 4;

/// One kind of span.
#[derive(Debug)]
pub(crate) struct SpanKind {
    pub(crate) name: &'static str,
    pub(crate) level: Level,
    pub(crate) fields: &'static [&'static str],
}

impl SpanKind {
    /// Whether any subscriber may look at this level: one relaxed load.
    #[inline]
    pub(crate) fn may_be_seen(&self) -> bool {
        self.level <= STATIC_MAX_LEVEL && self.level <= LevelFilter::current()
    }
}

/// A site's place among the callsites of `tracing`.
#[derive(Debug)]
pub(crate) struct SiteCallsite {
    // a subscriber that panics leaves nothing half done in here
    metadata: OnceLock<AssertUnwindSafe<Metadata<'static>>>,
    interest: AtomicU8,
    refused: bool,
}

impl SiteCallsite {
    pub(crate) const fn new() -> SiteCallsite {
        SiteCallsite {
            metadata: OnceLock::new(),
            interest: AtomicU8::new(UNREGISTERED),
            refused: false,
        }
    }

    /// There shall be no spans of it.
    pub(crate) const fn refuse(&mut self) {
        self.refused = true;
    }

    pub(crate) const fn is_refused(&self) -> bool {
        self.refused
    }

    /// Its metadata, if the subscriber of this thread wants its spans.
    pub(crate) fn wanted(
        &'static self,
        kind: &SpanKind,
        module: &'static str,
        at: &'static Location<'static>,
    ) -> Option<&'static Metadata<'static>> {
        let metadata = &**self.metadata.get_or_init(|| {
            AssertUnwindSafe(Metadata::new(
                kind.name,
                module,
                kind.level,
                Some(at.file()),
                Some(at.line()),
                Some(module),
                FieldSet::new(kind.fields, Identifier(self)),
                Kind::SPAN,
            ))
        });
        let begins = self.interest.compare_exchange(
            UNREGISTERED,
            REGISTERING,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        if begins.is_ok() {
            callsite::register(self);
        }
        let wanted = match self.interest.load(Ordering::Acquire) {
            NEVER => false,
            ALWAYS => true,
            _ => dispatcher::get_default(|subscriber| subscriber.enabled(metadata)),
        };
        wanted.then_some(metadata)
    }
}

impl Callsite for SiteCallsite {
    fn set_interest(&self, interest: Interest) {
        let interest = if interest.is_never() {
            NEVER
        } else if interest.is_always() {
            ALWAYS
        } else {
            SOMETIMES
        };
        self.interest.store(interest, Ordering::Release);
    }

    fn metadata(&self) -> &Metadata<'_> {
        self.metadata
            .get()
            .expect("a site is registered after its metadata is there")
    }
}
