//! Why something is not well: identifiers that may be shown to anyone, and the rule for those of the user's own.

use std::fmt;

const LONGEST: usize = 64;

/// Why a check, a model or the service is not well: an identifier that is safe to show to anyone. Free text belongs
/// into the log.
///
/// Reasons of your own come from [`reason!`](crate::reason), which checks them at compile time.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reason(&'static str);

macro_rules! reasons {
    ($($(#[doc = $doc:literal])+ $constant:ident = $text:literal;)*) => {
        impl Reason {
            $($(#[doc = $doc])+ pub const $constant: Reason = Reason($text);)*
        }
    };
}

reasons! {
    /// The service has not begun to serve.
    STARTING = "starting";
    /// A model that is needed is being loaded.
    MODEL_LOADING = "model_loading";
    /// A model that is needed is not there.
    MODEL_NOT_LOADED = "model_not_loaded";
    /// The load of a model that is needed has failed.
    MODEL_LOAD_FAILED = "model_load_failed";
    /// The device has no memory left.
    CUDA_OOM = "cuda_oom";
    /// The device's driver reports an error.
    CUDA_ERROR = "cuda_error";
    /// The device is broken.
    DEVICE_FAULT = "device_fault";
    /// The device is gone.
    GPU_LOST = "gpu_lost";
    /// A queue takes no more.
    QUEUE_FULL = "queue_full";
    /// Something that the service asks does not answer.
    DEPENDENCY_UNAVAILABLE = "dependency_unavailable";
    /// A check has not answered within its timeout.
    TIMEOUT = "timeout";
    /// A check has panicked.
    PANIC = "panic";
    /// A check has not returned long after its timeout.
    HUNG = "hung";
    /// What is known is too old to be trusted.
    STALE = "stale";
    /// A check has not run yet.
    NOT_YET_CHECKED = "not_yet_checked";
    /// The service is on its way out.
    DRAINING = "draining";
    /// The service was taken out of rotation by hand.
    MAINTENANCE = "maintenance";
    /// The async runtime, or the checks themselves, stand still.
    RUNTIME_STALLED = "runtime_stalled";
    /// Work is under way and does not get on.
    STALLED = "stalled";
    /// A known input has given a wrong answer.
    GOLDEN_FAILING = "golden_failing";
}

impl Reason {
    /// Used by [`reason!`](crate::reason) and by the attributes, at compile time.
    ///
    /// # Panics
    /// At compile time, with the rule's text: that is its purpose.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn checked(text: &'static str) -> Reason {
        let bytes = text.as_bytes();
        assert!(
            !bytes.is_empty() && bytes.len() <= LONGEST,
            "a reason has 1 to 64 characters, such as `redis_down`"
        );
        let mut i = 0;
        while i < bytes.len() {
            assert!(
                matches!(bytes[i], b'a'..=b'z' | b'0'..=b'9' | b'_'),
                "a reason is lower case letters, digits and `_`, such as `redis_down`"
            );
            i += 1;
        }
        Reason(text)
    }

    /// The identifier.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A [`Reason`] of your own: lower case letters, digits and `_`, at most 64 characters, checked at compile time.
///
/// ```
/// # use instrument_runtime as instrument_inference;
/// use instrument_inference::{Health, reason};
///
/// let health = Health::down(reason!("redis_down"));
/// assert_eq!(health.reason().map(|reason| reason.as_str()), Some("redis_down"));
/// ```
#[macro_export]
macro_rules! reason {
    // Not `const { … }`, which is left alone until it is compiled: an editor would not see what is wrong.
    ($text:literal) => {{
        const REASON: $crate::__private::Reason = $crate::__private::Reason::checked($text);
        REASON
    }};
    ($($other:tt)*) => {
        ::core::compile_error!("`reason!` takes a string literal: `reason!(\"redis_down\")`")
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_identifiers_are_reasons() {
        assert_eq!(Reason::checked("redis_down_2").as_str(), "redis_down_2");
        for wrong in ["", "Redis", "a b", "é", "a-b"] {
            assert!(
                std::panic::catch_unwind(|| Reason::checked(wrong)).is_err(),
                "{wrong}"
            );
        }
        let long: &'static str = "a".repeat(65).leak();
        assert!(std::panic::catch_unwind(|| Reason::checked(long)).is_err());
    }
}
