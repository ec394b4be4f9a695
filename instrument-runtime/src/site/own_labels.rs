//! The label values that one site has seen: each combination gets a small number.

use crate::notice;
use crate::vocab::label::Given;
use std::collections::HashMap;
use std::sync::RwLock;

/// A site has at most this many labels of its own.
pub(crate) const MOST_KEYS: usize = 8;

/// A site folds into `other` what comes after this many combinations.
const MOST_SETS: usize = 1_000;

/// The value of a label whose site has seen too many combinations.
pub(crate) const OTHER: &str = "other";

/// One for each label, and one for the device.
type Indices = [u32; MOST_KEYS + 1];
/// A value for each key of the site, and the device after them, where it is named; `None` leaves the label out.
pub(crate) type Values = Box<[Option<Box<str>>]>;

/// Number 0 is "no labels"; the others count from 1.
#[derive(Debug, Default)]
struct Seen {
    numbers: HashMap<Indices, u32>,
    values: Vec<Values>,
    overflow: Option<u32>,
    /// The series of a label combination of the request together with one of the site.
    series: HashMap<(u32, u32), u32>,
}

/// The label combinations of a site.
#[derive(Debug)]
pub(crate) struct OwnLabels(RwLock<Option<Seen>>);

impl OwnLabels {
    pub(crate) const fn new() -> OwnLabels {
        OwnLabels(RwLock::new(None))
    }

    /// The number of this combination; 0 for none.
    pub(crate) fn number(&self, labels: &[Given<'_>]) -> u32 {
        if labels.is_empty() {
            return 0;
        }
        let mut indices = [0; MOST_KEYS + 1];
        for (slot, label) in indices.iter_mut().zip(labels) {
            *slot = label.index;
        }
        let known = self
            .0
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(number) = known.as_ref().and_then(|seen| seen.numbers.get(&indices)) {
            return *number;
        }
        drop(known);
        self.first_seen(indices, labels)
    }

    #[cold]
    fn first_seen(&self, indices: Indices, labels: &[Given<'_>]) -> u32 {
        let mut seen = self
            .0
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let seen = seen.get_or_insert_default();
        if let Some(number) = seen.numbers.get(&indices) {
            return *number;
        }
        if seen.values.len() >= MOST_SETS {
            if let Some(number) = seen.overflow {
                return number;
            }
            let values: Vec<_> = labels.iter().filter_map(|label| label.value).collect();
            notice::report(&format!(
                "one function's `labels(…)` have more than {MOST_SETS} combinations: from {values:?} on, new ones are \
                 counted as `{OTHER}`"
            ));
            let number = seen.push(labels.iter().map(|_| Some(OTHER.into())).collect());
            seen.overflow = Some(number);
            return number;
        }
        let number = seen.push(
            labels
                .iter()
                .map(|label| label.value.map(Into::into))
                .collect(),
        );
        seen.numbers.insert(indices, number);
        number
    }

    /// The series of combination `number` under the request's label combination `combo`; 0 when not known.
    pub(crate) fn series(&self, combo: u32, number: u32) -> u32 {
        let known = self
            .0
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        known
            .as_ref()
            .and_then(|seen| seen.series.get(&(combo, number)).copied())
            .unwrap_or(0)
    }

    /// Remembers what [`series`](OwnLabels::series) answers.
    pub(crate) fn set_series(&self, combo: u32, number: u32, series: u32) {
        let mut seen = self
            .0
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        seen.get_or_insert_default()
            .series
            .insert((combo, number), series);
    }

    /// The values of a combination, in the order of the site's keys.
    pub(crate) fn values(&self, number: u32) -> Values {
        let known = self
            .0
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let at = (number as usize).checked_sub(1);
        at.and_then(|at| known.as_ref()?.values.get(at).cloned())
            .unwrap_or_default()
    }
}

impl Seen {
    fn push(&mut self, values: Values) -> u32 {
        self.values.push(values);
        // at most MOST_SETS + 1
        u32::try_from(self.values.len()).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::label::{LabelValue, label};

    struct Number(u32, String);
    impl LabelValue for Number {
        const CARDINALITY: u32 = 10_000;
        fn index(&self) -> u32 {
            self.0
        }
        fn value(&self) -> Option<&str> {
            Some(&self.1)
        }
    }

    #[test]
    fn equal_combinations_share_a_number_and_too_many_fold() {
        let own = OwnLabels::new();
        assert_eq!(own.number(&[]), 0);
        let first = own.number(&[label(&true), label(&None::<bool>)]);
        assert_eq!(first, own.number(&[label(&true), label(&None::<bool>)]));
        assert_eq!(*own.values(first), [Some("true".into()), None]);
        for n in 0..2_000 {
            own.number(&[label(&Number(n, n.to_string())), label(&true)]);
        }
        let folded = own.number(&[label(&Number(5_000, "5000".into())), label(&true)]);
        assert_eq!(
            *own.values(folded),
            [Some("other".into()), Some("other".into())]
        );
        assert_eq!(
            folded,
            own.number(&[label(&Number(6_000, "6000".into())), label(&true)])
        );
    }
}
