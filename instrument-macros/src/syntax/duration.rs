//! Durations in attributes: `"50ms"`. Read here, not by a `const fn`, because keys are compared with each other
//! and a message can show the very text that would have been right.

use proc_macro2::Span;
use std::time::Duration;
use syn::parse::ParseStream;
use syn::{Error, Lit, LitStr, Result};

/// Units with their nanoseconds.
const UNITS: [(&str, u64); 6] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Spellings that people try, and the unit they mean.
const SPELLINGS: [(&str, &str); 14] = [
    ("µs", "us"),
    ("micros", "us"),
    ("msec", "ms"),
    ("msecs", "ms"),
    ("millis", "ms"),
    ("milliseconds", "ms"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("min", "m"),
    ("mins", "m"),
    ("minutes", "m"),
    ("hours", "h"),
];

/// A duration and its literal's place, for rules between keys.
#[derive(Clone, Copy)]
pub(crate) struct Given {
    pub(crate) duration: Duration,
    pub(crate) span: Span,
}

/// Reads a duration in quotes as nanoseconds.
pub(crate) fn parse(input: ParseStream<'_>) -> Result<u64> {
    let literal = literal(input)?;
    match nanoseconds(&literal)? {
        0 => Err(Error::new(
            literal.span(),
            "a duration of zero is never met",
        )),
        nanoseconds => Ok(nanoseconds),
    }
}

/// Reads a duration in quotes that may be zero: what zero means is for the key to say.
pub(crate) fn given(input: ParseStream<'_>) -> Result<Given> {
    let literal = literal(input)?;
    Ok(Given {
        duration: Duration::from_nanos(nanoseconds(&literal)?),
        span: literal.span(),
    })
}

/// As it is written in an attribute, without the quotes: `1500ms`.
pub(crate) fn show(duration: Duration) -> String {
    let nanoseconds = duration.as_nanos();
    let whole = |(_, factor): &&(&str, u64)| nanoseconds.is_multiple_of(u128::from(*factor));
    match UNITS.iter().rev().find(whole) {
        Some((unit, factor)) if nanoseconds > 0 => {
            format!("{}{unit}", nanoseconds / u128::from(*factor))
        }
        _ => "0s".to_owned(),
    }
}

fn literal(input: ParseStream<'_>) -> Result<LitStr> {
    match input.parse::<Lit>() {
        Ok(Lit::Str(text)) => Ok(text),
        Ok(Lit::Int(number)) => Err(Error::new(
            number.span(),
            format!(
                "a duration is a string with a unit: `\"{}ms\"`",
                number.base10_digits()
            ),
        )),
        Ok(other) => Err(Error::new(
            other.span(),
            "a duration is a string with a unit: `\"50ms\"`",
        )),
        Err(mistake) => Err(Error::new(
            mistake.span(),
            "expected a duration in quotes: `\"50ms\"`",
        )),
    }
}

fn nanoseconds(literal: &LitStr) -> Result<u64> {
    let text = literal.value();
    let wrong = |why: String| Err(Error::new(literal.span(), why));
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    if number.is_empty() {
        return wrong(
            "a duration starts with a whole number: `\"50ms\"`, `\"5s\"`, `\"2m\"`".to_owned(),
        );
    }
    if unit.is_empty() {
        return wrong(format!(
            "a duration needs a unit: `\"{number}ms\"`, `\"{number}s\"`"
        ));
    }
    if unit.starts_with('.') {
        return wrong(
            "a duration is a whole number: `\"1500ms\"` for one and a half seconds".to_owned(),
        );
    }
    let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        let word = unit.trim().to_lowercase();
        let meant = UNITS
            .iter()
            .map(|(name, _)| (*name, *name))
            .chain(SPELLINGS)
            .find(|(name, _)| *name == word);
        return wrong(match meant {
            Some((_, meant)) => format!("unknown unit in `{text}`: write `\"{number}{meant}\"`"),
            None => format!("unknown unit in `{text}`: expected `ns`, `us`, `ms`, `s`, `m` or `h`"),
        });
    };
    match number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(*factor))
    {
        Some(nanoseconds) => Ok(nanoseconds),
        None => wrong(format!("`{text}` is too long: at most 584 years fit")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse::Parser;

    fn read(text: &str) -> std::result::Result<u64, String> {
        let tokens = text
            .parse::<proc_macro2::TokenStream>()
            .expect("test input is made of tokens");
        parse.parse2(tokens).map_err(|mistake| mistake.to_string())
    }

    #[test]
    fn every_unit_is_read() {
        let all = [
            r#""7ns""#, r#""7us""#, r#""7ms""#, r#""7s""#, r#""7m""#, r#""7h""#,
        ]
        .map(read);
        assert_eq!(
            all,
            [
                7,
                7_000,
                7_000_000,
                7_000_000_000,
                420_000_000_000,
                25_200_000_000_000
            ]
            .map(Ok)
        );
    }

    #[test]
    fn durations_are_shown_as_they_are_written() {
        for text in ["7ns", "1500ms", "90s", "2m", "3h", "0s"] {
            let literal: LitStr = syn::parse_str(&format!("{text:?}")).expect("a literal");
            let nanoseconds = nanoseconds(&literal).expect("a duration");
            let shown = show(Duration::from_nanos(nanoseconds));
            assert_eq!(shown, text);
        }
        assert_eq!(show(Duration::from_secs(60)), "1m");
    }

    #[test]
    fn mistakes_show_what_would_be_right() {
        for (text, part) in [
            (r#""50""#, r#"`"50ms"`"#),
            ("50", r#"`"50ms"`"#),
            (r#""5sec""#, r#"write `"5s"`"#),
            (r#""5 ms""#, r#"write `"5ms"`"#),
            (r#""5MS""#, r#"write `"5ms"`"#),
            (r#""1.5s""#, "1500ms"),
            (r#""5 parsecs""#, "expected `ns`"),
            (r#""-5s""#, "starts with a whole number"),
            (r#""""#, "starts with a whole number"),
            (r#""0ms""#, "zero"),
            (r#""99999999999h""#, "too long"),
            (r#""99999999999999999999999ns""#, "too long"),
            ("x", "in quotes"),
            ("1.5", "string with a unit"),
        ] {
            let said = read(text).expect_err(text);
            assert!(said.contains(part), "{text}: {said}");
        }
    }
}
