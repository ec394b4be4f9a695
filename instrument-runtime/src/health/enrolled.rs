//! Which checks a service has: linked and given, less those that it does without.

use crate::health::plan::Plan;
use crate::health::rollup::{DEVICE, MODELS, STALLED};
use crate::health::spec::{CHECKS, CheckRun, CheckSpec};
use crate::vocab::check_error::CheckError;

/// What a service says about its checks before it is installed.
#[derive(Debug, Clone)]
pub(crate) struct Enrolment {
    pub(crate) linked: bool,
    pub(crate) given: Vec<&'static CheckSpec>,
    pub(crate) without: Vec<String>,
    pub(crate) expected: Vec<String>,
}

impl Default for Enrolment {
    fn default() -> Enrolment {
        Enrolment {
            linked: true,
            given: Vec::new(),
            without: Vec::new(),
            expected: Vec::new(),
        }
    }
}

/// A check that is run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Enrolled {
    pub(crate) plan: Plan,
    pub(crate) run: CheckRun,
}

impl Enrolment {
    /// The built-in check on the devices counts.
    pub(crate) fn has_device_check(&self) -> bool {
        !self.does_without(DEVICE)
    }

    /// The built-in check on the executions counts.
    pub(crate) fn has_stalled_check(&self) -> bool {
        !self.does_without(STALLED)
    }

    fn does_without(&self, check: &str) -> bool {
        self.without.iter().any(|name| name == check)
    }

    /// The checks, in the order of their names.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub(crate) fn checks(&self) -> Result<Vec<Enrolled>, Vec<CheckError>> {
        let mut specs: Vec<&'static CheckSpec> = Vec::new();
        let linked = CHECKS.iter().filter(|_| self.linked);
        for spec in linked.chain(self.given.iter().copied()) {
            if !specs.iter().any(|known| std::ptr::eq(*known, spec)) {
                specs.push(spec);
            }
        }
        specs.sort_by_key(|spec| spec.name);
        // a built-in one can be left out and expected as any other
        let mut known: Vec<_> = specs.iter().map(|spec| spec.name).collect();
        known.extend([DEVICE, STALLED]);
        let is_known = |name: &&String| known.contains(&name.as_str());
        let mut errors = Vec::new();
        for name in self.without.iter().filter(|name| !is_known(name)) {
            let (name, known) = (name.clone(), known.clone());
            errors.push(CheckError::Unknown { name, known });
        }
        specs.retain(|spec| !self.does_without(spec.name));
        known.retain(|name| !self.does_without(name));
        for name in &self.expected {
            if !known.contains(&name.as_str()) {
                let (name, known) = (name.clone(), known.clone());
                errors.push(CheckError::Missing { name, known });
            }
        }
        errors.extend(
            specs
                .windows(2)
                .filter(|two| two[0].name == two[1].name)
                .map(|two| CheckError::Twice {
                    name: two[0].name,
                    one: two[0].to_string(),
                    other: two[1].to_string(),
                }),
        );
        let mut checks = Vec::new();
        for spec in specs {
            let (name, at) = (spec.name, spec.to_string());
            if [MODELS, DEVICE, STALLED].contains(&name) {
                errors.push(CheckError::BuiltIn { name, at });
                continue;
            }
            match Plan::new(spec) {
                Ok(plan) => checks.push(Enrolled {
                    plan,
                    run: spec.run,
                }),
                Err(rules) => errors.extend(rules.into_iter().map(|rule| CheckError::Rule {
                    name,
                    at: at.clone(),
                    rule,
                })),
            }
        }
        if errors.is_empty() {
            Ok(checks)
        } else {
            Err(errors)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::spec::{Timing, report};

    static ONE: CheckSpec = CheckSpec::new("one", "a", CheckRun::Sync(|| report(())));
    static SAME: CheckSpec = CheckSpec::new("one", "b", CheckRun::Sync(|| report(())));
    static WRONG: CheckSpec =
        CheckSpec::new("wrong", "c", CheckRun::Sync(|| report(()))).timing(Timing {
            failures: Some(0),
            ..Timing::NONE
        });
    static OURS: CheckSpec = CheckSpec::new("models", "d", CheckRun::Sync(|| report(())));

    fn enrol(given: &[&'static CheckSpec]) -> Enrolment {
        Enrolment {
            linked: false,
            given: given.to_vec(),
            ..Enrolment::default()
        }
    }

    #[test]
    fn given_twice_it_is_one_check() {
        assert_eq!(enrol(&[&ONE, &ONE]).checks().unwrap().len(), 1);
    }

    #[test]
    fn everything_that_is_wrong_is_named_with_its_places() {
        let mut enrolment = enrol(&[&ONE, &SAME, &WRONG, &OURS]);
        enrolment.expected = vec!["redis".to_owned()];
        enrolment.without = vec!["disk".to_owned()];
        let errors = enrolment.checks().unwrap_err();
        let lines: Vec<_> = errors.iter().map(ToString::to_string).collect();
        let text = lines.join("\n");
        for part in [
            "(in a) and at",
            "(in b)",
            "`wrong` at",
            "count from 1",
            "names `redis`",
            "there are: models, one, one, wrong, device, stalled",
            "`without_check` names `disk`",
            "built-in",
        ] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
    }

    #[test]
    fn what_is_left_out_is_not_expected_either() {
        let mut enrolment = enrol(&[&ONE]);
        enrolment.without = vec!["one".to_owned()];
        assert!(enrolment.checks().unwrap().is_empty());
        enrolment.expected = vec!["one".to_owned()];
        assert!(matches!(
            enrolment.checks().unwrap_err()[..],
            [CheckError::Missing { .. }]
        ));
    }

    #[test]
    fn built_in_checks_can_be_expected() {
        for name in ["device", "stalled"] {
            let mut enrolment = enrol(&[&ONE]);
            enrolment.expected = vec![name.to_owned()];
            assert_eq!(enrolment.checks().unwrap().len(), 1);
            enrolment.without = vec![name.to_owned()];
            assert!(matches!(
                enrolment.checks().unwrap_err()[..],
                [CheckError::Missing { .. }]
            ));
        }
    }
}
