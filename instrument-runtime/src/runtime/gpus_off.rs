//! Without the feature `nvml` no device is read.

use crate::config::Config;
use crate::runtime::recording::Recording;
use crate::slot::devices::Devices;

#[derive(Clone)]
pub(crate) struct Gpus;

impl Gpus {
    pub(crate) fn start(_: &Config, _: Option<&Recording>, _: &Devices) -> Gpus {
        Gpus
    }

    #[expect(clippy::unused_self, reason = "as with the feature")]
    pub(crate) fn stop(&self) {}
}
