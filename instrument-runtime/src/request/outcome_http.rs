//! What an HTTP answer says about how a request ended.

use crate::request::outcome::ToOutcome;
use crate::vocab::classify::Classify;
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::{Outcome, Rejection};
use http::{Response, StatusCode};

impl ToOutcome for StatusCode {
    fn to_outcome(&self) -> Outcome {
        match self.as_u16() {
            100..=399 => Outcome::Ok,
            401 | 403 => Outcome::Rejected(Rejection::Unauthorized),
            // a time-out that we answer with is our own deadline
            408 | 504 => Outcome::Error(ErrorType::DeadlineExceeded),
            429 => Outcome::Rejected(Rejection::RateLimited),
            // "client closed request", as nginx has it
            499 => Outcome::Cancelled,
            400..=498 => Outcome::Rejected(Rejection::InvalidInput),
            503 => Outcome::Error(ErrorType::Unavailable),
            _ => Outcome::Error(ErrorType::Internal),
        }
    }
}

/// For an error that has a status code inside. A code that says no error type, such as one of success, is
/// [`ErrorType::Internal`]; that the caller is not known or may not do this is [`ErrorType::InvalidInput`].
#[diagnostic::do_not_recommend]
impl Classify for StatusCode {
    fn error_type(&self) -> ErrorType {
        match self.to_outcome() {
            Outcome::Error(error) => error,
            Outcome::Rejected(Rejection::RateLimited) => ErrorType::RateLimited,
            Outcome::Rejected(_) => ErrorType::InvalidInput,
            _ => ErrorType::Internal,
        }
    }
}

impl<B> ToOutcome for Response<B> {
    fn to_outcome(&self) -> Outcome {
        self.status().to_outcome()
    }
}

impl<T> ToOutcome for (StatusCode, T) {
    fn to_outcome(&self) -> Outcome {
        self.0.to_outcome()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16) -> Outcome {
        StatusCode::from_u16(status).unwrap().to_outcome()
    }

    #[test]
    fn status_codes_have_one_meaning() {
        for status in [100, 200, 204, 304] {
            assert_eq!(of(status), Outcome::Ok, "{status}");
        }
        for status in [400, 404, 405, 406, 409, 411, 413, 414, 415, 416, 422, 431] {
            assert_eq!(
                of(status),
                Outcome::Rejected(Rejection::InvalidInput),
                "{status}"
            );
        }
        for status in [500, 501, 502, 505] {
            assert_eq!(of(status), Outcome::Error(ErrorType::Internal), "{status}");
        }
        assert_eq!(of(403), Outcome::Rejected(Rejection::Unauthorized));
        assert_eq!(of(408), Outcome::Error(ErrorType::DeadlineExceeded));
        assert_eq!(of(429), Outcome::Rejected(Rejection::RateLimited));
        assert_eq!(of(499), Outcome::Cancelled);
        assert_eq!(of(503), Outcome::Error(ErrorType::Unavailable));
    }

    #[test]
    fn a_status_code_inside_an_error_says_its_type() {
        for (status, expected) in [
            (400, ErrorType::InvalidInput),
            (401, ErrorType::InvalidInput),
            (403, ErrorType::InvalidInput),
            (408, ErrorType::DeadlineExceeded),
            (422, ErrorType::InvalidInput),
            (429, ErrorType::RateLimited),
            (500, ErrorType::Internal),
            (503, ErrorType::Unavailable),
            (504, ErrorType::DeadlineExceeded),
            (200, ErrorType::Internal),
            (302, ErrorType::Internal),
            (499, ErrorType::Internal),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(status.error_type(), expected, "{status}");
        }
    }

    #[test]
    fn an_answer_inside_a_result_counts() {
        let answer = Response::builder().status(503).body(()).unwrap();
        let unavailable = Outcome::Error(ErrorType::Unavailable);
        assert_eq!(
            crate::__outcome!(&Ok::<_, std::fmt::Error>(answer)),
            unavailable
        );
        let refused: Result<u8, _> = Err((StatusCode::UNAUTHORIZED, "no"));
        assert_eq!(
            crate::__outcome!(&refused),
            Outcome::Rejected(Rejection::Unauthorized)
        );
        // an early answer that is no failure, such as a redirect
        let elsewhere: Result<u8, _> = Err(StatusCode::SEE_OTHER);
        assert_eq!(crate::__outcome!(&elsewhere), Outcome::Ok);
    }
}
