//! What a `tonic::Status` says about itself: the answer of a handler of ours.

use crate::record::local;
use crate::request::outcome::ToOutcome;
use crate::request::outcome_grpc;
use crate::vocab::classify::Classify;
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::{Outcome, Rejection};
use tonic::{Code, Status};

/// Whether the model has run for the request that works here.
fn executed() -> bool {
    local::with_current(|tally| tally.is_some_and(|tally| tally.executed()))
}

impl ToOutcome for Status {
    fn to_outcome(&self) -> Outcome {
        self.code().to_outcome()
    }
}

impl ToOutcome for Code {
    fn to_outcome(&self) -> Outcome {
        outcome_grpc::outcome(Some(i32::from(*self)), executed())
    }
}

/// For errors that are made from a status: the nearest type, where an outcome says more.
#[diagnostic::do_not_recommend]
impl Classify for Status {
    fn error_type(&self) -> ErrorType {
        self.code().error_type()
    }
}

#[diagnostic::do_not_recommend]
impl Classify for Code {
    fn error_type(&self) -> ErrorType {
        match self.to_outcome() {
            Outcome::Error(error) => error,
            Outcome::Rejected(Rejection::RateLimited) => ErrorType::RateLimited,
            Outcome::Rejected(_) => ErrorType::InvalidInput,
            Outcome::Ok | Outcome::Cancelled | Outcome::Panicked => ErrorType::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_an_outcome_and_an_error() {
        let refused = Status::unauthenticated("who?");
        assert_eq!(
            refused.to_outcome(),
            Outcome::Rejected(Rejection::Unauthorized)
        );
        assert_eq!(refused.error_type(), ErrorType::InvalidInput);
        let busy = Status::resource_exhausted("later");
        assert_eq!(busy.error_type(), ErrorType::RateLimited);
        let answer: Result<tonic::Response<()>, Status> = Err(Status::unavailable("later"));
        assert_eq!(
            crate::__outcome!(&answer),
            Outcome::Error(ErrorType::Unavailable)
        );
        let answer: Result<tonic::Response<()>, Status> = Ok(tonic::Response::new(()));
        assert_eq!(crate::__outcome!(&answer), Outcome::Ok);
    }
}
