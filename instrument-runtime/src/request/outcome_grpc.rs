//! What a gRPC status code says about how a request ended.

use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::{Outcome, Rejection};

/// Some code that says nothing.
#[cfg(feature = "tower")]
pub(crate) const UNKNOWN: i32 = 2;

/// `DEADLINE_EXCEEDED`, as it stands in a header.
#[cfg(feature = "tower")]
pub(crate) const DEADLINE_EXCEEDED: &str = "4";

/// How a call ended that answered with this code; without one it ended in nobody knows what.
pub(crate) fn outcome(code: Option<i32>, executed: bool) -> Outcome {
    match code {
        Some(0) => Outcome::Ok,
        // CANCELLED
        Some(1) => Outcome::Cancelled,
        // INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, OUT_OF_RANGE
        Some(3 | 5 | 6 | 9 | 11) => Outcome::Rejected(Rejection::InvalidInput),
        // DEADLINE_EXCEEDED
        Some(4) => Outcome::Error(ErrorType::DeadlineExceeded),
        // PERMISSION_DENIED, UNAUTHENTICATED
        Some(7 | 16) => Outcome::Rejected(Rejection::Unauthorized),
        // RESOURCE_EXHAUSTED: the caller's quota, or, once the model runs, our own memory
        Some(8) if executed => Outcome::Error(ErrorType::ResourceExhausted),
        Some(8) => Outcome::Rejected(Rejection::RateLimited),
        // UNAVAILABLE
        Some(14) => Outcome::Error(ErrorType::Unavailable),
        _ => Outcome::Error(ErrorType::Internal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_codes_have_one_meaning() {
        let of = |code| outcome(Some(code), false);
        assert_eq!(of(0), Outcome::Ok);
        assert_eq!(of(1), Outcome::Cancelled);
        for code in [3, 5, 6, 9, 11] {
            assert_eq!(
                of(code),
                Outcome::Rejected(Rejection::InvalidInput),
                "{code}"
            );
        }
        assert_eq!(of(4), Outcome::Error(ErrorType::DeadlineExceeded));
        for code in [7, 16] {
            assert_eq!(
                of(code),
                Outcome::Rejected(Rejection::Unauthorized),
                "{code}"
            );
        }
        assert_eq!(of(14), Outcome::Error(ErrorType::Unavailable));
        for code in [2, 10, 12, 13, 15, 17, -1] {
            assert_eq!(of(code), Outcome::Error(ErrorType::Internal), "{code}");
        }
        assert_eq!(outcome(None, false), Outcome::Error(ErrorType::Internal));
    }

    #[test]
    fn what_is_exhausted_depends_on_how_far_it_came() {
        assert_eq!(
            outcome(Some(8), false),
            Outcome::Rejected(Rejection::RateLimited)
        );
        assert_eq!(
            outcome(Some(8), true),
            Outcome::Error(ErrorType::ResourceExhausted)
        );
    }
}
