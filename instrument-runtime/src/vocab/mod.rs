//! The words of the product and the rules about them. Knows nothing but `std`.

pub(crate) mod buckets;
#[cfg(any(feature = "metrics", feature = "health"))]
pub(crate) mod check_error;
pub(crate) mod classify;
#[cfg(any(feature = "metrics", feature = "health"))]
pub(crate) mod device;
pub(crate) mod device_name;
#[cfg(any(feature = "metrics", feature = "health"))]
pub(crate) mod duration;
pub(crate) mod error_type;
#[cfg(feature = "metrics")]
pub(crate) mod finish_reason;
pub(crate) mod foreign;
#[cfg(feature = "health")]
pub(crate) mod group;
pub(crate) mod label;
pub(crate) mod label_set;
pub(crate) mod level;
pub(crate) mod name;
pub(crate) mod outcome;
#[cfg(feature = "health")]
pub(crate) mod reason;
pub(crate) mod route;
pub(crate) mod said_by;
#[cfg(any(feature = "metrics", feature = "health"))]
pub(crate) mod serve_limits;
pub(crate) mod stage;
#[cfg(feature = "metrics")]
pub(crate) mod token_kind;
#[cfg(feature = "metrics")]
pub(crate) mod trace_id;
