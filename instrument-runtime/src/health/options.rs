//! What can be chosen about the answers to probes.

/// What can be chosen about the answers.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub(crate) struct HealthOptions {
    /// `/health` lists the checks without being asked to.
    pub(crate) verbose: bool,
    /// `?exclude=name` counts.
    pub(crate) exclude: bool,
    /// Headers that Envoy understands.
    pub(crate) envoy_headers: bool,
    /// What is not ready is 400 with an empty body under `/v2`, as Triton has it.
    pub(crate) triton_compat: bool,
}

impl Default for HealthOptions {
    fn default() -> HealthOptions {
        HealthOptions {
            verbose: false,
            exclude: true,
            envoy_headers: false,
            triton_compat: false,
        }
    }
}
