//! Reading: attributes into slots, functions into their parts. Shared by all macros; emits nothing.

pub(crate) mod args;
pub(crate) mod buckets;
pub(crate) mod case;
pub(crate) mod derived;
pub(crate) mod duration;
pub(crate) mod expression;
pub(crate) mod group;
pub(crate) mod identifier;
pub(crate) mod keys;
pub(crate) mod label_keys;
pub(crate) mod labels;
pub(crate) mod no_function;
pub(crate) mod partial_fn;
pub(crate) mod peers;
pub(crate) mod returns;
pub(crate) mod separator;
pub(crate) mod spelling;
pub(crate) mod streams;
pub(crate) mod tail;
