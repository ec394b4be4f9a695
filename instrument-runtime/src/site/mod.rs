//! What a `static` in the user's code carries, and the link-time list of all of them.

#[cfg(feature = "tracing")]
pub(crate) mod callsite;
#[cfg(not(feature = "tracing"))]
#[path = "callsite_off.rs"]
pub(crate) mod callsite;
pub(crate) mod own_labels;
pub(crate) mod series_table;
#[expect(
    clippy::module_inception,
    reason = "the file is named after the one noun it defines"
)]
pub(crate) mod site;
pub(crate) mod streaming;
