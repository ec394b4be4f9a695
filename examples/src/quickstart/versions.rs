//! What is served: one version of the model, and for the demo two more that are compared.

use crate::quickstart::flags::Flags;

/// A version of the model with a queue and a thread of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// Its name in the metrics.
    pub name: &'static str,
    /// What stands before `/predict`.
    pub path: &'static str,
    /// As many images are executed at once, at most.
    pub max_batch: usize,
}

/// The versions that these flags ask for.
#[must_use]
pub fn versions(flags: &Flags) -> Vec<Version> {
    let version = |name, path, max_batch| Version {
        name,
        path,
        max_batch,
    };
    let mut all = vec![version("1", "", flags.max_batch)];
    if flags.demo {
        all.extend(compared(flags));
    }
    all
}

/// The two that get the same load.
pub(crate) fn compared(flags: &Flags) -> [Version; 2] {
    [
        ("1-single", "/1-single", 1),
        ("1-batched", "/1-batched", flags.max_batch),
    ]
    .map(|(name, path, max_batch)| Version {
        name,
        path,
        max_batch,
    })
}
