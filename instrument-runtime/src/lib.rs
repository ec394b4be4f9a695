//! The runtime of `instrument-inference`: recording, and the ways out. Use it through that crate.
// What is known of one thing is used by others: where one of them is left out, something is not used.
#![cfg_attr(
    not(all(
        feature = "metrics",
        feature = "prometheus",
        feature = "otlp",
        feature = "health",
        feature = "http",
        feature = "tower",
        feature = "grpc",
        feature = "tracing",
    )),
    allow(
        dead_code,
        unreachable_pub,
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "with all features, everything is used"
    )
)]

#[doc(hidden)]
pub mod __private;
mod vocab;

#[cfg(feature = "metrics")]
mod collect;
#[cfg(any(feature = "metrics", feature = "health"))]
mod config;
#[cfg(feature = "metrics")]
mod export;
#[cfg(all(feature = "nvml", any(feature = "metrics", feature = "health")))]
mod gpu;
#[cfg(feature = "health")]
mod health;
#[cfg(any(feature = "metrics", feature = "health"))]
mod notice;
#[cfg(any(feature = "metrics", feature = "health"))]
mod peak;
#[cfg(feature = "metrics")]
pub mod queue;
#[cfg(feature = "metrics")]
mod record;
mod request;
#[cfg(any(feature = "metrics", feature = "health"))]
mod runtime;
#[cfg(feature = "http")]
mod serve;
#[cfg(feature = "metrics")]
mod site;
#[cfg(any(feature = "metrics", feature = "health"))]
mod slot;
#[cfg(any(feature = "metrics", feature = "health"))]
mod spelling;
#[cfg(feature = "testing")]
pub mod testing;

#[cfg(any(feature = "metrics", feature = "health"))]
pub use config::ConfigError;
#[cfg(feature = "prometheus")]
pub use export::summary::{Summary, SummaryRow};
#[cfg(feature = "health")]
pub use health::{
    report::{HealthReport, Verdict},
    runner::check_is_overdue,
    verdict::{Health, ToHealth},
};
#[cfg(feature = "metrics")]
pub use record::{
    catalog::CATALOG,
    metric::{Metric, MetricKind},
};
#[cfg(feature = "metrics")]
pub use request::context::{Entered, InScope, RequestContext};
#[cfg(feature = "metrics")]
pub use request::hops::{Carried, carry, carry_async, spawn, spawn_blocking};
#[cfg(feature = "metrics")]
pub use request::measured_tokens::{MeasureTokens, Measured};
#[cfg(feature = "metrics")]
pub use request::members::Members;
pub use request::outcome::ToOutcome;
#[cfg(feature = "metrics")]
pub use request::sequence::Sequence;
#[cfg(feature = "metrics")]
pub use request::token_count::TokenCount;
#[cfg(feature = "tower")]
pub use request::{
    deadline::TimeLimit,
    layer::{RequestLayer, RequestService},
    measured_body::MeasuredBody,
    response::ResponseFuture,
};
#[cfg(any(feature = "metrics", feature = "health"))]
pub use runtime::builder::TelemetryBuilder;
#[cfg(any(feature = "metrics", feature = "health"))]
pub use runtime::error::{FlushError, InstallError};
#[cfg(any(feature = "metrics", feature = "health"))]
pub use runtime::telemetry::Telemetry;
#[cfg(any(feature = "metrics", feature = "health"))]
pub use slot::model_slot::ModelSlot;
pub use vocab::buckets::Buckets;
#[cfg(any(feature = "metrics", feature = "health"))]
pub use vocab::check_error::CheckError;
pub use vocab::classify::Classify;
#[cfg(any(feature = "metrics", feature = "health"))]
pub use vocab::device::{DeviceEvent, DeviceReading, DeviceStats};
pub use vocab::error_type::ErrorType;
#[cfg(feature = "metrics")]
pub use vocab::finish_reason::FinishReason;
pub use vocab::label::LabelValue;
pub use vocab::label_set::{Label, LabelSet};
pub use vocab::level::Level;
pub use vocab::outcome::{Outcome, Rejection};
#[cfg(any(feature = "metrics", feature = "health"))]
pub use vocab::serve_limits::ServeLimits;
#[cfg(feature = "metrics")]
pub use vocab::token_kind::TokenKind;
#[cfg(feature = "metrics")]
pub use vocab::trace_id::TraceId;
#[cfg(feature = "health")]
pub use vocab::{
    group::{Group, HealthStatus},
    reason::Reason,
};
