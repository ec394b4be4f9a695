//! Labels whose values are known only at run time, bounded by the set that hands them out.

use crate::vocab::label::{LONGEST, LabelValue, cut};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// Values that any one set may have. Every value is a time series at every stage that carries the label.
const MOST_VALUES: u32 = 1_000;

/// How a value reads that the set does not have.
const OTHER: &str = "other";

/// Up to this many values are compared one after the other: that is faster than hashing.
const FEW: usize = 16;

/// The values of one label that are known only at run time, such as tenants. It hands out [`Label`]s: a value that it
/// has, or `other`.
///
/// A set is bounded, so what it hands out may be a label. Keep it in a `static`, one for each label key: its values
/// are told apart by their number in the set, so two sets must not be used under the same key of the same function.
///
/// A value is compared and shown by its first 128 bytes. The empty text is `other`; where a request names no value at
/// all, use an `Option`, whose `None` leaves the label out.
///
/// ```
/// # use instrument_runtime as instrument_inference;
/// use instrument_inference::{LabelSet, LabelValue};
///
/// static REGIONS: LabelSet = LabelSet::listed("origin", &["eu", "us"]);
/// static CUSTOMERS: LabelSet = LabelSet::capped("customer", 100);
///
/// assert_eq!(REGIONS.get("eu").value(), Some("eu"));
/// assert_eq!(REGIONS.get("mars").value(), Some("other"));
///
/// // Where a customer has proved who it is:
/// CUSTOMERS.admit("acme");
/// // Anywhere else:
/// assert_eq!(CUSTOMERS.get("acme").value(), Some("acme"));
/// assert_eq!(CUSTOMERS.get("made up").value(), Some("other"));
/// ```
#[derive(Debug)]
pub struct LabelSet {
    key: &'static str,
    values: Values,
    overflowed: AtomicU64,
}

#[derive(Debug)]
enum Values {
    Listed {
        values: &'static [&'static str],
        /// Number by value, for a list that is not short.
        numbers: OnceLock<HashMap<&'static str, u32>>,
    },
    Capped {
        cap: usize,
        numbers: RwLock<Option<HashMap<Arc<str>, u32>>>,
    },
}

/// A value that a [`LabelSet`] handed out. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Label {
    /// 0 is `other`.
    number: u32,
    text: Text,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Text {
    Listed(&'static str),
    Admitted(Arc<str>),
}

impl LabelSet {
    /// A set of these values; everything else is `other`.
    ///
    /// # Panics
    /// When there are more than 1,000 values, or one of them is empty or longer than 128 bytes: at compile time, where
    /// the set is a `static`.
    #[must_use]
    #[track_caller]
    pub const fn listed(key: &'static str, values: &'static [&'static str]) -> LabelSet {
        assert!(
            values.len() <= MOST_VALUES as usize,
            "a set of labels has at most 1,000 values"
        );
        let mut i = 0;
        while i < values.len() {
            assert!(!values[i].is_empty(), "a label's value is not empty");
            assert!(
                values[i].len() <= LONGEST,
                "a label's value has at most 128 bytes"
            );
            i += 1;
        }
        LabelSet {
            key,
            values: Values::Listed {
                values,
                numbers: OnceLock::new(),
            },
            overflowed: AtomicU64::new(0),
        }
    }

    /// A set without values that [`admit`](LabelSet::admit) adds to, until there are `cap`.
    ///
    /// # Panics
    /// When `cap` is 0 or more than 1,000: at compile time, where the set is a `static`.
    #[must_use]
    #[track_caller]
    pub const fn capped(key: &'static str, cap: usize) -> LabelSet {
        assert!(cap > 0, "a set of labels has room for at least one value");
        assert!(
            cap <= MOST_VALUES as usize,
            "a set of labels has room for at most 1,000 values"
        );
        LabelSet {
            key,
            values: Values::Capped {
                cap,
                numbers: RwLock::new(None),
            },
            overflowed: AtomicU64::new(0),
        }
    }

    /// The key of the label that these are the values of.
    pub const fn key(&self) -> &'static str {
        self.key
    }

    /// The value, if the set has it, else `other`. Adds nothing, so anybody may choose what is asked for.
    pub fn get(&self, value: &str) -> Label {
        self.find(cut(value)).unwrap_or(Label::OTHER)
    }

    /// The value, which is added if there is room; else `other`, and [`overflowed`](LabelSet::overflowed) counts it.
    /// A listed set has never room.
    ///
    /// Only for values that somebody vouches for, such as the tenant of a verified token. What is added stays, so if
    /// callers could choose it – in a header, say – the first one to send made-up values would fill the set, and
    /// everybody else would be `other` until the process ends.
    pub fn admit(&self, value: &str) -> Label {
        let value = cut(value);
        if value.is_empty() {
            return Label::OTHER;
        }
        self.find(value)
            .or_else(|| self.add(value))
            .unwrap_or_else(|| {
                if value != OTHER {
                    self.overflowed.fetch_add(1, Ordering::Relaxed);
                }
                Label::OTHER
            })
    }

    /// How many times [`admit`](LabelSet::admit) found no room: above 0, the set is too small for those it serves.
    pub fn overflowed(&self) -> u64 {
        self.overflowed.load(Ordering::Relaxed)
    }

    fn find(&self, value: &str) -> Option<Label> {
        match &self.values {
            Values::Listed { values, numbers } => {
                let at = if values.len() <= FEW {
                    values.iter().position(|known| *known == value)?
                } else {
                    let numbers = numbers.get_or_init(|| by_value(values));
                    *numbers.get(value)? as usize
                };
                Some(Label::new(at, Text::Listed(values[at])))
            }
            Values::Capped { numbers, .. } => {
                let numbers = numbers.read().unwrap_or_else(PoisonError::into_inner);
                let (text, number) = numbers.as_ref()?.get_key_value(value)?;
                Some(Label {
                    number: *number,
                    text: Text::Admitted(Arc::clone(text)),
                })
            }
        }
    }

    /// `None` when there is no room.
    fn add(&self, value: &str) -> Option<Label> {
        let Values::Capped { cap, numbers } = &self.values else {
            return None;
        };
        // one more series that reads `other` would be mistaken for the rest
        if value == OTHER {
            return None;
        }
        // a full set stays full: those who hammer it must not make writers of themselves
        let full = |numbers: &HashMap<_, _>| numbers.len() >= *cap;
        let known = numbers.read().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_some_and(full) {
            return None;
        }
        drop(known);
        let mut numbers = numbers.write().unwrap_or_else(PoisonError::into_inner);
        let numbers = numbers.get_or_insert_default();
        // somebody else may have been here meanwhile
        if let Some((text, number)) = numbers.get_key_value(value) {
            return Some(Label {
                number: *number,
                text: Text::Admitted(Arc::clone(text)),
            });
        }
        if full(numbers) {
            return None;
        }
        let text: Arc<str> = value.into();
        let label = Label::new(numbers.len(), Text::Admitted(Arc::clone(&text)));
        numbers.insert(text, label.number);
        Some(label)
    }
}

fn by_value(values: &'static [&'static str]) -> HashMap<&'static str, u32> {
    let mut numbers = HashMap::with_capacity(values.len());
    for (at, value) in (0..).zip(values) {
        // of two that are equal, the first
        numbers.entry(*value).or_insert(at);
    }
    numbers
}

impl Label {
    const OTHER: Label = Label {
        number: 0,
        text: Text::Listed(OTHER),
    };

    fn new(at: usize, text: Text) -> Label {
        if text.as_str() == OTHER {
            return Label::OTHER;
        }
        Label {
            // below MOST_VALUES
            number: u32::try_from(at + 1).unwrap_or(0),
            text,
        }
    }

    /// How it reads in a metric.
    pub fn as_str(&self) -> &str {
        self.text.as_str()
    }

    /// Whether it stands for everything that the set does not have.
    pub const fn is_other(&self) -> bool {
        self.number == 0
    }
}

impl Text {
    fn as_str(&self) -> &str {
        match self {
            Text::Listed(text) => text,
            Text::Admitted(text) => text,
        }
    }
}

impl LabelValue for Label {
    // `other`, and what any set may have
    const CARDINALITY: u32 = MOST_VALUES + 1;
    fn index(&self) -> u32 {
        self.number
    }
    fn value(&self) -> Option<&str> {
        Some(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG_LIST: &[&str] = &[
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "b",
        "other",
    ];

    #[test]
    fn a_listed_set_has_what_is_listed() {
        static SHORT: LabelSet = LabelSet::listed("kind", &["a", "b", "b", "other"]);
        static LONG: LabelSet = LabelSet::listed("kind", LONG_LIST);
        for set in [&SHORT, &LONG] {
            assert_eq!(set.key(), "kind");
            assert_eq!((set.get("b").index(), set.get("b").value()), (2, Some("b")));
            for rest in ["", "B", "other", "z"] {
                assert_eq!(
                    (set.get(rest).index(), set.get(rest).as_str()),
                    (0, "other")
                );
            }
            assert!(set.admit("z").is_other());
            assert_eq!(set.admit("a"), set.get("a"));
            assert_eq!(set.overflowed(), 1);
        }
        assert_eq!(LONG.get("q").index(), 17);
    }

    #[test]
    fn a_capped_set_admits_until_it_is_full() {
        static SET: LabelSet = LabelSet::capped("customer", 2);
        assert!(SET.get("acme").is_other());
        assert_eq!(SET.admit("acme").index(), 1);
        assert_eq!(SET.admit("globex").index(), 2);
        assert_eq!(SET.admit("acme").index(), 1);
        assert!(SET.admit("").is_other() && SET.admit("other").is_other());
        assert_eq!(SET.overflowed(), 0);
        assert!(SET.admit("initech").is_other());
        assert_eq!(SET.overflowed(), 1);
        assert_eq!(SET.get("globex").value(), Some("globex"));
    }

    #[test]
    fn made_up_values_neither_grow_the_set_nor_push_out_known_ones() {
        let set = LabelSet::capped("customer", 100);
        let known: Vec<_> = (0..50).map(|n| set.admit(&format!("known {n}"))).collect();
        std::thread::scope(|scope| {
            for attacker in 0..4 {
                let set = &set;
                scope.spawn(move || {
                    for n in 0..25_000 {
                        let made_up = format!("{attacker} {n} {}", "x".repeat(200));
                        assert!(set.admit(&made_up).index() <= 100);
                        assert_eq!(set.get("known 7").as_str(), "known 7");
                    }
                });
            }
        });
        for (n, label) in known.iter().enumerate() {
            assert_eq!(set.get(&format!("known {n}")), *label);
        }
        let Values::Capped { numbers, .. } = &set.values else {
            unreachable!("it is capped");
        };
        let numbers = numbers.read().unwrap();
        let numbers = numbers.as_ref().unwrap();
        assert_eq!(numbers.len(), 100);
        assert!(numbers.keys().all(|text| text.len() <= LONGEST));
        assert!(numbers.capacity() < 1_000);
        let mut taken: Vec<_> = numbers.values().copied().collect();
        taken.sort_unstable();
        assert_eq!(taken, (1..=100).collect::<Vec<_>>());
        assert_eq!(set.overflowed(), 100_000 - 50);
    }

    #[test]
    fn reading_made_up_values_adds_none() {
        let set = LabelSet::capped("customer", 100);
        set.admit("acme");
        for n in 0..100_000 {
            assert!(set.get(&n.to_string()).is_other());
        }
        assert_eq!(set.admit("globex").index(), 2);
        assert_eq!(set.overflowed(), 0);
    }

    #[test]
    fn long_values_are_cut_at_a_character_boundary() {
        let set = LabelSet::capped("customer", 2);
        let long = "é".repeat(100);
        assert_eq!(set.admit(&long).as_str(), "é".repeat(64));
        assert_eq!(set.get(&long).index(), 1);
        assert_eq!(set.admit(&"é".repeat(64)).index(), 1);
    }

    #[test]
    fn every_label_stays_below_its_cardinality() {
        let set = LabelSet::capped("customer", MOST_VALUES as usize);
        let highest = (0..MOST_VALUES)
            .map(|n| set.admit(&n.to_string()).index())
            .max();
        assert_eq!(highest, Some(Label::CARDINALITY - 1));
        assert!(set.admit("one more").is_other());
    }

    #[test]
    #[should_panic(expected = "at most 1,000")]
    fn a_cap_above_the_limit_is_refused() {
        let _ = LabelSet::capped("customer", MOST_VALUES as usize + 1);
    }

    #[test]
    #[should_panic(expected = "not empty")]
    fn an_empty_value_can_not_be_listed() {
        let _ = LabelSet::listed("customer", &["a", ""]);
    }
}
