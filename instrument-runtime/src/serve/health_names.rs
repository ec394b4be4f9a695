//! The names that the health protocol of gRPC knows, and what is said of each.

use crate::health::report::HealthReport;
use crate::serve::pb::health::health_check_response::ServingStatus;
use crate::vocab::group::Group;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Before the name of a model.
const MODELS: &str = "models/";

/// In bytes. A watch of a model that nobody has declared yet keeps the name, so it must not be any length.
const LONGEST_MODEL: usize = 1024;

/// The names of services that are said to be as ready as the whole.
#[derive(Debug)]
pub(crate) struct HealthNames {
    services: BTreeSet<String>,
}

/// A service cannot have a name that means something else already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameTaken {
    name: String,
    means: &'static str,
}

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NameTaken { name, means } = self;
        write!(
            f,
            "no service can be called `{name}` in gRPC health: that is {means}"
        )
    }
}

impl std::error::Error for NameTaken {}

/// Whom a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Name {
    /// The whole, for one of the three questions.
    Whole(Group),
    /// A model, whether it was declared or not.
    Model(Box<str>),
    /// Nobody, and that will not change.
    Nobody,
}

impl HealthNames {
    /// # Errors
    /// Where the name of a service means something else.
    pub(crate) fn new(services: Vec<String>) -> Result<HealthNames, NameTaken> {
        let mut names = HealthNames {
            services: BTreeSet::new(),
        };
        for name in services {
            let means = if name.is_empty() {
                "the server as a whole"
            } else if group(&name).is_some() {
                "a group of checks"
            } else if name.starts_with(MODELS) {
                "a model"
            } else if names.services.contains(&name) {
                "another service"
            } else {
                names.services.insert(name);
                continue;
            };
            return Err(NameTaken { name, means });
        }
        Ok(names)
    }

    /// Whom `name` means.
    pub(crate) fn find(&self, name: &str) -> Name {
        if name.is_empty() || self.services.contains(name) {
            return Name::Whole(Group::Readiness);
        }
        if let Some(group) = group(name) {
            return Name::Whole(group);
        }
        match name.strip_prefix(MODELS) {
            Some(model) if model.len() <= LONGEST_MODEL => Name::Model(model.into()),
            _ => Name::Nobody,
        }
    }

    /// Every name that is known, and what is said of it.
    pub(crate) fn all(&self, report: &HealthReport) -> BTreeMap<String, ServingStatus> {
        let groups = Group::ALL.map(|group| group.as_str().to_owned());
        let models = report
            .models
            .iter()
            .map(|model| format!("{MODELS}{}", model.name));
        std::iter::once(String::new())
            .chain(groups)
            .chain(self.services.iter().cloned())
            .chain(models)
            .filter_map(|name| {
                let status = self.find(&name).status(report)?;
                Some((name, status))
            })
            .collect()
    }
}

impl Name {
    /// What is said of it; `None` where nobody has that name.
    pub(crate) fn status(&self, report: &HealthReport) -> Option<ServingStatus> {
        let serves = match self {
            Name::Whole(group) => report.status(*group).serves(),
            Name::Model(model) => report.is_model_ready(model, None)?,
            Name::Nobody => return None,
        };
        // clients treat NOT_SERVING and UNKNOWN alike, and probes print the former better
        Some(if serves {
            ServingStatus::Serving
        } else {
            ServingStatus::NotServing
        })
    }
}

fn group(name: &str) -> Option<Group> {
    Group::ALL.into_iter().find(|group| group.as_str() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(services: &[&str]) -> Result<HealthNames, NameTaken> {
        HealthNames::new(services.iter().map(|&name| name.to_owned()).collect())
    }

    #[test]
    fn every_name_means_one_thing() {
        let names = names(&["app.Sentiment"]).unwrap();
        for (name, meant) in [
            ("", Name::Whole(Group::Readiness)),
            ("liveness", Name::Whole(Group::Liveness)),
            ("readiness", Name::Whole(Group::Readiness)),
            ("startup", Name::Whole(Group::Startup)),
            ("app.Sentiment", Name::Whole(Group::Readiness)),
            ("models/digits", Name::Model("digits".into())),
            ("models", Name::Nobody),
            ("Liveness", Name::Nobody),
            ("app.sentiment", Name::Nobody),
        ] {
            assert_eq!(names.find(name), meant, "{name:?}");
        }
    }

    #[test]
    fn a_name_that_means_something_else_is_refused() {
        for (services, part) in [
            (&[""][..], "whole"),
            (&["startup"], "group"),
            (&["models/digits"], "model"),
            (&["app.A", "app.A"], "another service"),
        ] {
            let refused = names(services).unwrap_err().to_string();
            assert!(refused.contains(part), "{refused}");
        }
        assert!(names(&["app.A", "app.B", "modelsX"]).is_ok());
    }

    #[test]
    fn endless_names_are_not_kept() {
        let endless = format!("models/{}", "x".repeat(LONGEST_MODEL + 1));
        assert_eq!(names(&[]).unwrap().find(&endless), Name::Nobody);
    }
}
