//! How a request or a stage ended.

use crate::vocab::error_type::ErrorType;

/// How a request or a stage ended. Everything that was started ends in exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// It did what was asked.
    Ok,
    /// Our fault, our own deadline included.
    Error(ErrorType),
    /// Refused before the model ran.
    Rejected(Rejection),
    /// Dropped before it was done: the client left, or the service is shutting down.
    Cancelled,
    /// It panicked.
    Panicked,
}

impl Outcome {
    /// How many values the label `outcome` has.
    pub const COUNT: usize = 5;

    /// The values of the label `outcome`, at their [`index`](Outcome::index).
    pub const LABELS: [&'static str; Outcome::COUNT] =
        ["ok", "error", "rejected", "cancelled", "panicked"];

    /// The place of this outcome in [`LABELS`](Outcome::LABELS).
    pub const fn index(self) -> usize {
        match self {
            Outcome::Ok => 0,
            Outcome::Error(_) => 1,
            Outcome::Rejected(_) => 2,
            Outcome::Cancelled => 3,
            Outcome::Panicked => 4,
        }
    }

    /// The value of the label `outcome`.
    pub const fn as_str(self) -> &'static str {
        Outcome::LABELS[self.index()]
    }

    /// What a failure of this type means for whoever asked: the caller's own mistakes are rejections.
    pub const fn of_error(error: ErrorType) -> Outcome {
        match error {
            ErrorType::InvalidInput => Outcome::Rejected(Rejection::InvalidInput),
            ErrorType::RateLimited => Outcome::Rejected(Rejection::RateLimited),
            other => Outcome::Error(other),
        }
    }

    /// A refusal is one only as long as the model has not run; after that the same answer is a failure of ours.
    pub(crate) const fn once_executed(self) -> Outcome {
        match self {
            Outcome::Rejected(Rejection::InvalidInput) => Outcome::Error(ErrorType::InvalidInput),
            Outcome::Rejected(Rejection::RateLimited) => Outcome::Error(ErrorType::RateLimited),
            other => other,
        }
    }
}

/// Why a request was refused: the label `reason` of `inference_rejections_total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rejection {
    /// The caller sent something that cannot be served.
    InvalidInput,
    /// The caller sent more than it may.
    RateLimited,
    /// The caller is not known, or may not do this.
    Unauthorized,
    /// The queue in front of the model is full.
    QueueFull,
    /// The service is on its way out.
    Draining,
    /// The service takes itself out of rotation.
    Unhealthy,
}

impl Rejection {
    /// Every reason, in the order of the documentation.
    pub const ALL: [Rejection; 6] = [
        Rejection::InvalidInput,
        Rejection::RateLimited,
        Rejection::Unauthorized,
        Rejection::QueueFull,
        Rejection::Draining,
        Rejection::Unhealthy,
    ];

    /// The value of the label `reason`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Rejection::InvalidInput => "invalid_input",
            Rejection::RateLimited => "rate_limited",
            Rejection::Unauthorized => "unauthorized",
            Rejection::QueueFull => "queue_full",
            Rejection::Draining => "draining",
            Rejection::Unhealthy => "unhealthy",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callers_mistake_is_a_rejection_until_the_model_has_run() {
        let outcome = Outcome::of_error(ErrorType::InvalidInput);
        assert_eq!(outcome, Outcome::Rejected(Rejection::InvalidInput));
        assert_eq!(
            outcome.once_executed(),
            Outcome::Error(ErrorType::InvalidInput)
        );
        assert_eq!(Outcome::of_error(ErrorType::CudaOom).as_str(), "error");
    }
}
