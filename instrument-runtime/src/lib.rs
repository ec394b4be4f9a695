//! The runtime of `instrument-inference`: recording, and the ways out. Use it through that crate.

#[doc(hidden)]
pub mod __private;
mod vocab;

#[cfg(feature = "metrics")]
mod config;
#[cfg(feature = "metrics")]
mod export;
#[cfg(feature = "metrics")]
mod notice;
#[cfg(feature = "metrics")]
pub mod queue;
#[cfg(feature = "metrics")]
mod record;
#[cfg(feature = "metrics")]
mod request;
#[cfg(feature = "metrics")]
mod runtime;
#[cfg(all(feature = "prometheus", feature = "http"))]
mod serve;
#[cfg(feature = "metrics")]
mod site;
#[cfg(feature = "testing")]
pub mod testing;

#[cfg(feature = "metrics")]
pub use config::ConfigError;
#[cfg(feature = "prometheus")]
pub use export::summary::{Summary, SummaryRow};
#[cfg(feature = "metrics")]
pub use record::catalog::{CATALOG, Metric, MetricKind};
#[cfg(feature = "metrics")]
pub use request::classify::Classify;
#[cfg(feature = "metrics")]
pub use request::context::{Entered, InScope, RequestContext};
#[cfg(feature = "metrics")]
pub use request::hops::{Carried, carry, carry_async, spawn, spawn_blocking};
#[cfg(feature = "metrics")]
pub use request::members::Members;
#[cfg(feature = "metrics")]
pub use request::outcome::ToOutcome;
#[cfg(feature = "metrics")]
pub use request::slot::ModelSlot;
#[cfg(feature = "tower")]
pub use request::{
    deadline::TimeLimit,
    layer::{RequestLayer, RequestService},
    measured_body::MeasuredBody,
    response::ResponseFuture,
};
#[cfg(feature = "metrics")]
pub use runtime::builder::TelemetryBuilder;
#[cfg(feature = "metrics")]
pub use runtime::error::{FlushError, InstallError};
#[cfg(feature = "metrics")]
pub use runtime::telemetry::Telemetry;
pub use vocab::buckets::Buckets;
pub use vocab::error_type::ErrorType;
pub use vocab::label::LabelValue;
pub use vocab::label_set::{Label, LabelSet};
pub use vocab::level::Level;
pub use vocab::outcome::{Outcome, Rejection};
