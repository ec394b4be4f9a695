//! What a `static` in the user's code carries, and the link-time list of all of them.

pub(crate) mod own_labels;
pub(crate) mod series_table;
#[expect(
    clippy::module_inception,
    reason = "the file is named after the one noun it defines"
)]
pub(crate) mod site;
pub(crate) mod streaming;
