//! Without the feature `nvml` no device is read.

use crate::config::Config;
use crate::runtime::recording::Recording;

#[derive(Clone)]
pub(crate) struct Devices;

impl Devices {
    pub(crate) fn start(_: &Config, _: Option<&Recording>) -> Devices {
        Devices
    }

    #[expect(clippy::unused_self, reason = "as with the feature")]
    pub(crate) fn stop(&self) {}
}
