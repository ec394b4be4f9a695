//! The only names that generated code may use. Re-exports what others define.

#[cfg(feature = "health")]
pub use crate::health::{
    spec::{CHECKS, CheckFuture, CheckRun, CheckSpec, Provided, StateType, Timing, report, state},
    verdict::{Report, ToHealth},
};
#[cfg(feature = "metrics")]
pub use crate::record::{guard::StageArgs, local::enabled};
#[cfg(not(feature = "metrics"))]
pub use crate::request::members_off::members;
#[cfg(not(any(feature = "metrics", feature = "health")))]
pub use crate::request::model_none::model;
#[cfg(all(feature = "health", not(feature = "metrics")))]
pub use crate::request::model_off::model;
#[cfg(feature = "metrics")]
pub use crate::request::{
    batch_stage::{
        BatchArgs, EnteredBatch, Outcomes, StagedBatch, enter_batch, run_batch, run_batch_deferred,
    },
    follow::{Follow, follow},
    members::{Members, members},
    opened::{
        InPlaceRequest, OpenedRequest, Requested, open, request_deferred, request_never,
        request_sync,
    },
    opening::Opening,
    stage::{
        EnteredStage, InPlace, Never, Ref, Staged, call, enter, never_called, run_deferred,
        run_never, run_sync,
    },
    streamed::{Begins, Kept, KeptRequest, KeptStage, Streamed, streamed},
};
pub use crate::request::{
    inner::InnerErrorType,
    outcome::{
        Answers, ErrorOutcome, Fallible, Nothing, Parts, Probe, Split, ValueOutcome, error_type_by,
        fallible,
    },
};
#[cfg(feature = "metrics")]
pub use crate::site::site::{SITES, Site};
#[cfg(feature = "metrics")]
pub use crate::slot::model_slot::AsModelSlot;
pub use crate::vocab::buckets::Buckets;
pub use crate::vocab::classify::Classify;
pub use crate::vocab::device_name::{NamesDevice, device};
pub use crate::vocab::error_type::ErrorType;
pub use crate::vocab::label::{Given, LabelValue, Literal, label};
pub use crate::vocab::name::{custom_stage_name, execution_name, stage_name};
pub use crate::vocab::outcome::Outcome;
pub use crate::vocab::route::{AsRoute, route};
#[cfg(feature = "health")]
pub use crate::vocab::{group::Group, reason::Reason};
pub use crate::{
    __error_type_of as error_type_of, __outcome as outcome, __outcome_by as outcome_by,
    __outcomes as outcomes,
};
pub use ::core;
#[cfg(any(feature = "metrics", feature = "health"))]
pub use linkme;
pub use std::boxed::Box;
pub use std::option::Option::{None, Some};
pub use std::result::Result::{Err, Ok};
