//! The only names that generated code may use. Re-exports what others define.

#[cfg(feature = "metrics")]
pub use crate::record::{guard::StageArgs, local::enabled};
#[cfg(feature = "metrics")]
pub use crate::request::{
    opened::{
        InPlaceRequest, OpenedRequest, Requested, open, request_deferred, request_never,
        request_sync,
    },
    opening::Opening,
    outcome::{ErrorOutcome, Probe, Split, ValueOutcome, error_type_by},
    stage::{
        EnteredStage, InPlace, Never, Staged, call, enter, hint, run_deferred, run_never, run_sync,
    },
};
#[cfg(feature = "metrics")]
pub use crate::site::site::{SITES, Site};
pub use crate::vocab::buckets::Buckets;
pub use crate::vocab::label::{Label, Literal, label};
pub use crate::vocab::name::{assert_stage_grammar, assert_stage_name};
pub use crate::vocab::outcome::Outcome;
#[cfg(feature = "metrics")]
pub use crate::{__outcome as outcome, __outcome_by as outcome_by};
#[cfg(feature = "metrics")]
pub use linkme;
pub use std::boxed::Box;
pub use std::result::Result::{Err, Ok};
