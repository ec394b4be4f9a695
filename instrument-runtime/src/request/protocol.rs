//! What an answer says of itself, by protocol: in its head, and for gRPC in its trailers.

use crate::request::outcome::ToOutcome;
use crate::request::outcome_grpc;
use crate::vocab::outcome::Outcome;
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, HeaderName, Method, StatusCode};

/// Where gRPC says how a call ended.
pub(crate) const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");

/// How long the client waits.
pub(crate) const GRPC_TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

/// The span of the client's that a request comes from.
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Whose rules say how a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http,
    Grpc,
}

impl Protocol {
    /// Of a value of the label `ingress`.
    pub(crate) fn of(ingress: &str) -> Protocol {
        if ingress == "grpc" {
            Protocol::Grpc
        } else {
            Protocol::Http
        }
    }
}

/// Whether an answer has no body whatever its server gives to it, as far as its request says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bodiless {
    Always,
    /// From then on the connection is no HTTP any more.
    WhenGranted,
    ByStatus,
}

impl Bodiless {
    pub(crate) fn of(method: &Method) -> Bodiless {
        match *method {
            Method::HEAD => Bodiless::Always,
            Method::CONNECT => Bodiless::WhenGranted,
            _ => Bodiless::ByStatus,
        }
    }

    /// Whether the answer ends with its head.
    pub(crate) fn ends_with(self, status: StatusCode) -> bool {
        let by_status = status.is_informational()
            || status == StatusCode::NO_CONTENT
            || status == StatusCode::NOT_MODIFIED;
        match self {
            Bodiless::Always => true,
            Bodiless::WhenGranted => by_status || status.is_success(),
            Bodiless::ByStatus => by_status,
        }
    }
}

/// What an answer has said of itself so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    Http(StatusCode),
    /// The code comes with the trailers, unless they are the head.
    Grpc(Option<i32>),
}

impl Said {
    pub(crate) fn head(protocol: Protocol, status: StatusCode, headers: &HeaderMap) -> Said {
        match protocol {
            Protocol::Http => Said::Http(status),
            Protocol::Grpc => match grpc_status(headers) {
                // refused before it was gRPC at all, by a middleware or a proxy within the service
                None if status != StatusCode::OK => Said::Http(status),
                code => Said::Grpc(code),
            },
        }
    }

    pub(crate) fn trailers(&mut self, trailers: &HeaderMap) {
        if let Said::Grpc(code) = self {
            *code = grpc_status(trailers).or(*code);
        }
    }

    /// How it ended, now that the answer has.
    pub(crate) fn outcome(self, executed: bool) -> Outcome {
        match self {
            Said::Http(status) => status.to_outcome(),
            Said::Grpc(code) => outcome_grpc::outcome(code, executed),
        }
    }

    /// What is known with the head.
    pub(crate) fn so_far(self, executed: bool) -> Outcome {
        match self {
            Said::Grpc(None) => Outcome::Ok,
            said => said.outcome(executed),
        }
    }

    /// How many bytes the body has, where the head promises it. gRPC ends with trailers, after the last byte.
    pub(crate) fn promised(self, headers: &HeaderMap, size: Option<u64>) -> Option<u64> {
        match self {
            Said::Http(_) => headers
                .get(CONTENT_LENGTH)
                .and_then(|length| length.to_str().ok()?.parse().ok())
                .or(size),
            Said::Grpc(_) => None,
        }
    }
}

/// A code that cannot be read is one that is not known.
fn grpc_status(headers: &HeaderMap) -> Option<i32> {
    let value = headers.get(GRPC_STATUS)?;
    let code = value.to_str().ok().and_then(|text| text.parse().ok());
    Some(code.unwrap_or(outcome_grpc::UNKNOWN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::error_type::ErrorType;
    use http::HeaderValue;

    fn with_status(code: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(GRPC_STATUS, HeaderValue::from_static(code))])
    }

    #[test]
    fn some_answers_end_with_their_head() {
        let ends = |method, status: u16| {
            Bodiless::of(&method).ends_with(StatusCode::from_u16(status).unwrap())
        };
        for status in [101, 204, 304] {
            assert!(ends(Method::GET, status), "{status}");
        }
        assert!(ends(Method::HEAD, 200) && ends(Method::CONNECT, 200));
        assert!(!ends(Method::CONNECT, 403) && !ends(Method::POST, 200));
    }

    #[test]
    fn trailers_say_more_than_the_head() {
        let internal = Outcome::Error(ErrorType::Internal);
        let mut said = Said::head(Protocol::Grpc, StatusCode::OK, &HeaderMap::new());
        assert_eq!(said.so_far(false), Outcome::Ok);
        assert_eq!(said.outcome(false), internal, "it never said how it ended");
        said.trailers(&with_status("0"));
        assert_eq!(said.outcome(false), Outcome::Ok);
        said.trailers(&HeaderMap::new());
        assert_eq!(said.outcome(false), Outcome::Ok);
        said.trailers(&with_status("many"));
        assert_eq!(said.outcome(false), internal);
    }

    #[test]
    fn what_is_no_grpc_goes_by_its_status_code() {
        let said = Said::head(
            Protocol::Grpc,
            StatusCode::PAYLOAD_TOO_LARGE,
            &HeaderMap::new(),
        );
        assert_eq!(said, Said::Http(StatusCode::PAYLOAD_TOO_LARGE));
        let said = Said::head(Protocol::Http, StatusCode::OK, &with_status("13"));
        assert_eq!(said.outcome(false), Outcome::Ok);
    }
}
