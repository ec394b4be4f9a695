//! Variables of the environment that are nearly ours. They are no errors: others may use the prefix too, and a newer
//! release may know more.

use crate::spelling;

/// What every variable of ours begins with.
const PREFIX: &str = "INSTRUMENT_";

/// All of them.
const OURS: [&str; 7] = [
    "INSTRUMENT_CONTROL_ADDR",
    "INSTRUMENT_DISABLED",
    "INSTRUMENT_DRAIN_DELAY",
    "INSTRUMENT_HEALTH_ADDR",
    "INSTRUMENT_LEVEL",
    "INSTRUMENT_LINE_BUDGET",
    "INSTRUMENT_METRICS_ADDR",
];

/// More than these are no spelling mistakes.
const MOST: usize = 8;

/// What is to be said of each that is nearly ours.
pub(crate) fn near(names: impl Iterator<Item = String>) -> Vec<String> {
    let ours = names.filter(|name| name.starts_with(PREFIX));
    let near = ours.filter_map(|name| {
        let meant = spelling::nearest(&name, &OURS)?;
        Some(format!(
            "the variable {name} says nothing: did you mean {meant}?"
        ))
    });
    near.take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use std::cell::RefCell;

    #[test]
    fn a_variable_that_is_nearly_ours_is_named_with_the_one_that_was_meant() {
        let names = [
            "INSTRUMENT_METRIC_ADDR",
            "HOME",
            "INSTRUMENT_LEVEL",
            "INSTRUMENT_OF_TORTURE",
        ];
        let said = "the variable INSTRUMENT_METRIC_ADDR says nothing: did you mean INSTRUMENT_METRICS_ADDR?";
        assert_eq!(near(names.map(str::to_owned).into_iter()), [said]);
        let many = (0..1_000).map(|n| format!("INSTRUMENT_LEVEL{}", n % 10));
        assert_eq!(near(many).len(), MOST);
    }

    #[test]
    fn every_variable_of_ours_is_read() {
        let asked = RefCell::new(Vec::new());
        Config::new("service").read(|name| {
            asked.borrow_mut().push(name.to_owned());
            None
        });
        let mut asked = asked.into_inner();
        asked.retain(|name| name.starts_with(PREFIX));
        asked.sort();
        assert_eq!(asked, OURS);
    }
}
