//! Why the demo did not show what it should.

use std::time::Duration;

use axum::http::StatusCode;
use thiserror::Error;

use crate::client::ClientError;

/// How long the server may take to begin with a request, or to notice that its client has left.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Why the demo did not show what it should.
#[derive(Debug, Error)]
pub enum DemoError {
    /// Nothing is recorded.
    #[error("the demo shows what was recorded, and INSTRUMENT_DISABLED turns recording off")]
    Disabled,
    /// A request was not answered.
    #[error("a request of the demo was not answered")]
    Client(#[from] ClientError),
    /// A request was answered in another way than it should.
    #[error("{what} was answered with {status}: {body}")]
    Answer {
        /// The request.
        what: &'static str,
        /// The status code.
        status: StatusCode,
        /// The body.
        body: String,
    },
    /// Too many digits were read wrong.
    #[error("only {right} of {all} answers are right")]
    Wrong {
        /// Right answers.
        right: u64,
        /// All answers.
        all: u64,
    },
    /// A request did not begin, or did not end.
    #[error("what is in flight has not followed the only request within {PATIENCE:?}")]
    InFlight,
    /// No client could leave before it was answered.
    #[error(
        "of {attempts} large pictures, nearly all were answered before their clients could leave"
    )]
    TooFast {
        /// Pictures that were sent.
        attempts: u64,
    },
    /// The clients have seen something else than what was recorded.
    #[error("the clients saw {clients}; the metrics say {metrics}")]
    Disagree {
        /// What the clients saw.
        clients: String,
        /// What was recorded.
        metrics: String,
    },
}
