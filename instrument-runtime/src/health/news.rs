//! What there is to tell people.

use crate::health::report::{Roll, Verdict};
use crate::vocab::group::Group;
use crate::vocab::reason::Reason;

/// Something has changed.
#[derive(Debug, Clone)]
pub(crate) enum News {
    /// What all checks of a group come to.
    Group(Group, Roll),
    /// What one check says. Its error's text may have come from anywhere: it is for the log of this machine only.
    Check {
        name: &'static str,
        verdict: Verdict,
        reason: Option<Reason>,
        error: Option<String>,
    },
    /// A check cannot be run: nobody has provided its state.
    Waits {
        name: &'static str,
        /// The type of the state.
        wanted: &'static str,
    },
}

/// Who tells people. Never waits.
pub(crate) type Herald = Box<dyn Fn(News) + Send + Sync>;
