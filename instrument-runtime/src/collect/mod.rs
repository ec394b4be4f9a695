//! Facts, as metrics.

pub(crate) mod cgroup;
#[cfg(feature = "nvml")]
pub(crate) mod device;
#[cfg(test)]
pub(crate) mod fake_root;
#[cfg(feature = "health")]
pub(crate) mod health;
pub(crate) mod network;
pub(crate) mod proc_files;
pub(crate) mod process;
