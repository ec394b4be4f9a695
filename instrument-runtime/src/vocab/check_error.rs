//! What can be wrong with the checks of a service.

use std::fmt;

/// A check that cannot be taken as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckError {
    /// Two checks have one name.
    Twice {
        /// The name.
        name: &'static str,
        /// Where the one stands: `file:line`.
        one: String,
        /// Where the other one stands: `file:line`.
        other: String,
    },
    /// The name belongs to a check of ours.
    BuiltIn {
        /// The name.
        name: &'static str,
        /// Where it stands: `file:line`.
        at: String,
    },
    /// A rule about its numbers is broken.
    Rule {
        /// The name.
        name: &'static str,
        /// Where it stands: `file:line`.
        at: String,
        /// Which rule.
        rule: String,
    },
    /// A check is expected, and is not there.
    Missing {
        /// Its name.
        name: String,
        /// Those that are there.
        known: Vec<&'static str>,
    },
    /// A check is to be left out, and is not there.
    Unknown {
        /// Its name.
        name: String,
        /// Those that are there.
        known: Vec<&'static str>,
    },
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Twice { name, one, other } => write!(
                f,
                "two checks are called `{name}`, at {one} and at {other}: give one of them another `name`"
            ),
            CheckError::BuiltIn { name, at } => write!(
                f,
                "the check at {at} is called `{name}`, which is the name of a built-in one: give it another `name`"
            ),
            CheckError::Rule { name, at, rule } => write!(f, "check `{name}` at {at}: {rule}"),
            CheckError::Missing { name, known } => write!(
                f,
                "`expect_checks` names `{name}`, and no such check is linked or given; there are: {}",
                list(known)
            ),
            CheckError::Unknown { name, known } => write!(
                f,
                "`without_check` names `{name}`, and there is no such check; there are: {}",
                list(known)
            ),
        }
    }
}

impl std::error::Error for CheckError {}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}
