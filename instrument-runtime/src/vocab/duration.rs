//! Durations as texts: `"50ms"`, in the grammar that the attributes have.

use std::time::Duration;

/// Units with their nanoseconds.
const UNITS: [(&str, u64); 6] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Reads a duration: a whole number and a unit.
///
/// # Errors
/// What is wrong with the text, and what would do.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    positive(parse_or_zero(text)?)
}

/// [`parse`] where none at all is allowed too.
///
/// # Errors
/// What is wrong with the text, and what would do.
pub(crate) fn parse_or_zero(text: &str) -> Result<Duration, String> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(format!(
            "`{text}` is no duration: expected a whole number and `ns`, `us`, `ms`, `s`, `m` or `h`, such as \
             `50ms` or `2s`"
        ));
    };
    if number.is_empty() {
        return Err(format!(
            "`{text}` is no duration: it starts with a whole number, such as `50ms` or `2s`"
        ));
    }
    let nanos = number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(*factor))
        .ok_or_else(|| format!("`{text}` is too long: at most 584 years fit"))?;
    Ok(Duration::from_nanos(nanos))
}

/// A duration that can be kept.
///
/// # Errors
/// When it is zero.
pub(crate) fn positive(duration: Duration) -> Result<Duration, String> {
    if duration.is_zero() {
        return Err("a duration of zero is never met".to_owned());
    }
    Ok(duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read() {
        let read = ["7ns", "7us", "7ms", "7s", "7m", "7h"].map(|text| parse(text).unwrap());
        let nanos = read.map(|duration| duration.as_nanos());
        let expected = [
            7,
            7_000,
            7_000_000,
            7_000_000_000,
            420_000_000_000,
            25_200_000_000_000,
        ];
        assert_eq!(nanos, expected);
    }

    #[test]
    fn mistakes_show_what_would_be_right() {
        for (text, part) in [
            ("", "whole number"),
            ("50", "`50ms`"),
            ("s", "starts with a whole number"),
            ("-5s", "whole number"),
            ("1.5s", "whole number"),
            ("5 ms", "`50ms`"),
            ("5S", "`2s`"),
            ("0ms", "zero"),
            ("99999999999h", "too long"),
            ("99999999999999999999999ns", "too long"),
        ] {
            let said = parse(text).unwrap_err();
            assert!(said.contains(part), "{text}: {said}");
        }
    }
}
