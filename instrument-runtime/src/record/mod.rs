//! From a guard to a data point: clock, rings, series, drain, instruments.

pub(crate) mod attributes;
pub(crate) mod budget;
pub(crate) mod catalog;
pub(crate) mod clock;
pub(crate) mod combo;
pub(crate) mod drain;
pub(crate) mod guard;
pub(crate) mod instruments;
pub(crate) mod layout;
pub(crate) mod local;
pub(crate) mod model;
pub(crate) mod observe;
pub(crate) mod observed;
pub(crate) mod open;
pub(crate) mod peak;
pub(crate) mod queue;
pub(crate) mod recorder;
pub(crate) mod registry;
pub(crate) mod ring;
pub(crate) mod rings;
pub(crate) mod series;
pub(crate) mod tally;
pub(crate) mod tick;
pub(crate) mod troubles;
