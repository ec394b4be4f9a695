//! Without the feature `health` there is nothing to say about it.

use crate::config::Config;

/// Nothing can be said.
#[derive(Debug, Clone, Default)]
pub(crate) struct HealthSetup {}

impl HealthSetup {
    pub(crate) fn ask_for_addresses(_: &mut Config) {}
}
