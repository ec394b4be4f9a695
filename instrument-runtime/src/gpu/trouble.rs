//! Why a call into a vendor's library failed, in words that metrics may have as a label.

/// What a call came to that was no success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    NoLibrary,
    DriverNotLoaded,
    DriverMismatch,
    Permission,
    Lost,
    ResetRequired,
    /// The device, its mode or the driver does not have it: a fact, not a failure.
    NotSupported,
    Timeout,
    NoData,
    OutOfMemory,
    /// The library's own word for what it cannot name; also what a container gets that has lost its device files.
    Unknown,
    Other,
    /// A call did not return in time.
    Hung,
    Panic,
    /// `CUDA_VISIBLE_DEVICES` counts devices in an order that only CUDA knows.
    AmbiguousOrder,
}

impl Trouble {
    pub(crate) const ALL: [Trouble; 15] = [
        Trouble::NoLibrary,
        Trouble::DriverNotLoaded,
        Trouble::DriverMismatch,
        Trouble::Permission,
        Trouble::Lost,
        Trouble::ResetRequired,
        Trouble::NotSupported,
        Trouble::Timeout,
        Trouble::NoData,
        Trouble::OutOfMemory,
        Trouble::Unknown,
        Trouble::Other,
        Trouble::Hung,
        Trouble::Panic,
        Trouble::AmbiguousOrder,
    ];

    pub(crate) const COUNT: usize = Trouble::ALL.len();

    /// The label `code`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Trouble::NoLibrary => "no_library",
            Trouble::DriverNotLoaded => "driver_not_loaded",
            Trouble::DriverMismatch => "driver_mismatch",
            Trouble::Permission => "permission",
            Trouble::Lost => "gpu_lost",
            Trouble::ResetRequired => "reset_required",
            Trouble::NotSupported => "not_supported",
            Trouble::Timeout => "timeout",
            Trouble::NoData => "no_data",
            Trouble::OutOfMemory => "out_of_memory",
            Trouble::Unknown => "unknown",
            Trouble::Other => "other",
            Trouble::Hung => "hung",
            Trouble::Panic => "panic",
            Trouble::AmbiguousOrder => "ambiguous_order",
        }
    }

    /// Only a reset of the device, or a new process, gets it back.
    pub(crate) fn is_loss(self) -> bool {
        matches!(self, Trouble::Lost | Trouble::ResetRequired)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_counted_where_they_are() {
        for (at, trouble) in Trouble::ALL.into_iter().enumerate() {
            assert_eq!(at, trouble as usize);
        }
    }
}
