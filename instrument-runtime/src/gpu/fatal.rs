//! Which Xid events mean that a device cannot go on.

/// Those of which NVIDIA's catalogue says that the device, or the machine, has to be reset, and 48, the uncorrectable
/// memory error of older ones. Not 109: a program can cause it by itself. Not 136, 155 and 156: a reset can wait.
/// <https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html>
const FATAL: [u64; 12] = [46, 48, 62, 64, 79, 95, 110, 119, 120, 140, 143, 158];

/// The device cannot go on after it, whoever caused it.
pub(crate) fn is_fatal(xid: u64) -> bool {
    FATAL.contains(&xid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_can_cause_by_itself_condemns_no_device() {
        for application in [13, 31, 43, 45, 68, 94, 109] {
            assert!(!is_fatal(application), "{application}");
        }
        assert!(is_fatal(79) && is_fatal(95));
    }
}
