//! Labels whose values are bounded by their type.

/// Longer values are cut: stores bill them, and nobody reads them.
pub(crate) const LONGEST: usize = 128;

/// A value that may become a label of a metric, because its type bounds how many there are.
///
/// Derived for enums without fields. Ready for `bool`, for the `Label`s that a `LabelSet` hands out, and for references
/// and `Option`s of label values (`None` leaves the label out). A string literal in an attribute is one too. Not for `String`, `&str` or numbers: each distinct value is a new time
/// series, and a client that chooses the values chooses how much memory every scraper spends.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a bounded label",
    label = "nothing bounds how many values this takes, and each one is a new time series",
    note = "for a fixed set, write `#[derive(LabelValue)]` on an enum without fields, or a string literal",
    note = "for texts known at run time, such as tenants, keep a `LabelSet` and use the labels that it hands out",
    note = "what identifies one request belongs in a span, a log or a sample, never in a label"
)]
pub trait LabelValue {
    /// How many different values the type has, at most. At least 1.
    const CARDINALITY: u32;
    /// Which of them this one is: below [`CARDINALITY`](LabelValue::CARDINALITY), the same for equal values.
    fn index(&self) -> u32;
    /// How it reads in a metric; `None` leaves the label out.
    fn value(&self) -> Option<&str>;
}

impl LabelValue for bool {
    const CARDINALITY: u32 = 2;
    fn index(&self) -> u32 {
        u32::from(*self)
    }
    fn value(&self) -> Option<&str> {
        Some(if *self { "true" } else { "false" })
    }
}

#[diagnostic::do_not_recommend]
impl<L: LabelValue + ?Sized> LabelValue for &L {
    const CARDINALITY: u32 = L::CARDINALITY;
    fn index(&self) -> u32 {
        (**self).index()
    }
    fn value(&self) -> Option<&str> {
        (**self).value()
    }
}

#[diagnostic::do_not_recommend]
impl<L: LabelValue> LabelValue for Option<L> {
    const CARDINALITY: u32 = L::CARDINALITY.saturating_add(1);
    fn index(&self) -> u32 {
        self.as_ref()
            .map_or(0, |inner| inner.index().saturating_add(1))
    }
    fn value(&self) -> Option<&str> {
        self.as_ref().and_then(LabelValue::value)
    }
}

/// A string literal of an attribute: the one value of its label there.
#[derive(Debug, Clone, Copy)]
pub struct Literal(pub &'static str);

impl LabelValue for Literal {
    const CARDINALITY: u32 = 1;
    fn index(&self) -> u32 {
        0
    }
    fn value(&self) -> Option<&str> {
        Some(self.0)
    }
}

/// A label value as expansions hand it on: what [`LabelValue`] says, without the type.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    pub(crate) index: u32,
    pub(crate) value: Option<&'a str>,
}

/// Asks a label value what it is.
pub fn label<L: LabelValue + ?Sized>(value: &L) -> Given<'_> {
    // an implementation that breaks its own promise must not reach the series of another value
    let index = value.index().min(L::CARDINALITY.saturating_sub(1));
    Given {
        index,
        // to Prometheus a label without a value is no label
        value: value.value().map(cut).filter(|text| !text.is_empty()),
    }
}

/// The value as it may stand in a metric: at most 128 bytes, cut at a character boundary.
pub(crate) fn cut(value: &str) -> &str {
    let mut end = value.len().min(LONGEST);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    &value[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_at_a_character_boundary() {
        assert_eq!(cut("short"), "short");
        assert_eq!(cut(&"é".repeat(100)).chars().count(), 64);
        assert_eq!(cut(&format!("x{}", "é".repeat(100))).len(), 127);
    }

    #[test]
    fn an_option_adds_one_value_that_leaves_the_label_out() {
        assert_eq!(label(&None::<bool>).value, None);
        assert_eq!(label(&Some(true)).index, 2);
        assert_eq!(<Option<bool> as LabelValue>::CARDINALITY, 3);
        assert_eq!(label(&&Some(false)).value, Some("false"));
    }

    #[test]
    fn an_index_out_of_range_stays_in_range() {
        struct Liar;
        impl LabelValue for Liar {
            const CARDINALITY: u32 = 2;
            fn index(&self) -> u32 {
                7
            }
            fn value(&self) -> Option<&str> {
                Some("liar")
            }
        }
        assert_eq!(label(&Liar).index, 1);
    }
}
