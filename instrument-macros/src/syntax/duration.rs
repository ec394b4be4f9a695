//! Durations in attributes: `"50ms"`. Read here, not by a `const fn`, because keys are compared with each other
//! and a message can show the very text that would have been right.

use proc_macro2::Span;
use std::time::Duration;
use syn::parse::ParseStream;
use syn::{Error, Lit, LitStr, Result, Token};

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
            "a duration of zero is never met: write one above zero, such as `\"50ms\"`, or leave the key out",
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
    let start = input.span();
    if input.peek(Token![-]) {
        return Err(Error::new(start, "a duration is above zero: `\"50ms\"`"));
    }
    match input.parse::<Lit>() {
        Ok(Lit::Str(text)) => Ok(text),
        Ok(Lit::Int(number)) => {
            let digits = number.base10_digits();
            let unit = UNITS.iter().find(|(unit, _)| *unit == number.suffix());
            let meant = unit.map_or_else(
                || format!("`\"{digits}ms\"`, `\"{digits}s\"`"),
                |(unit, _)| format!("`\"{digits}{unit}\"`"),
            );
            let text = format!("a duration is a string with a unit: {meant}");
            Err(Error::new(start, text))
        }
        Ok(_) => Err(Error::new(
            start,
            "a duration is a string with a unit: `\"50ms\"`",
        )),
        Err(_) => Err(Error::new(
            start,
            "a duration is a string literal, and no other expression: `\"50ms\"`",
        )),
    }
}

/// Nanoseconds of a duration in quotes.
pub(crate) fn nanoseconds(literal: &LitStr) -> Result<u64> {
    let text = literal.value();
    read(&text).map_err(|why| Error::new(literal.span(), why))
}

fn read(text: &str) -> std::result::Result<u64, String> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    if number.is_empty() {
        return Err(if text.trim() != text && read(text.trim()).is_ok() {
            format!("a duration has no spaces: `\"{}\"`", text.trim())
        } else if text.starts_with('-') {
            "a duration is above zero: `\"50ms\"`".to_owned()
        } else {
            "a duration starts with a whole number: `\"50ms\"`, `\"5s\"`, `\"2m\"`".to_owned()
        });
    }
    if unit.is_empty() {
        return Err(format!(
            "a duration needs a unit: `\"{number}ms\"`, `\"{number}s\"`"
        ));
    }
    let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(match meant(text) {
            Some((meant, why)) => format!("{why}: write `\"{meant}\"`"),
            None => {
                format!("unknown unit in `{text}`: expected `ns`, `us`, `ms`, `s`, `m` or `h`")
            }
        });
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(*factor))
        .ok_or_else(|| format!("`{text}` is too long: at most 584 years fit"))
}

/// What a text that is no duration was meant to be, and why it is none.
fn meant(text: &str) -> Option<(String, String)> {
    let plain = text.replace('_', "");
    let mut rest = plain.as_str();
    let mut parts: Vec<(&str, u64)> = Vec::new();
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(number);
        let unit = tail
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit);
        parts.push((number, factor(&unit.trim().to_lowercase())?));
        rest = tail;
    }
    let unknown_unit = || format!("unknown unit in `{text}`");
    match parts.as_slice() {
        [(number, factor)] if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            let why = if text.contains('_') {
                "a duration has no `_`".to_owned()
            } else {
                unknown_unit()
            };
            match UNITS.iter().find(|(_, unit)| unit == factor) {
                Some((unit, _)) => Some((format!("{number}{unit}"), why)),
                None => Some((show(sum(&parts)?), why)),
            }
        }
        [_] => Some((
            show(sum(&parts)?),
            "a duration is a whole number".to_owned(),
        )),
        _ => Some((
            show(sum(&parts)?),
            "a duration is one number and one unit".to_owned(),
        )),
    }
}

/// Nanoseconds of a unit, also of those that there are not.
fn factor(unit: &str) -> Option<u64> {
    let unit = match unit {
        "d" | "day" | "days" => return Some(24 * 3_600_000_000_000),
        unit => SPELLINGS
            .iter()
            .find(|(spelling, _)| *spelling == unit)
            .map_or(unit, |(_, meant)| meant),
    };
    UNITS
        .iter()
        .find(|(name, _)| *name == unit)
        .map(|(_, factor)| *factor)
}

fn sum(parts: &[(&str, u64)]) -> Option<Duration> {
    let mut sum = Duration::ZERO;
    for (number, factor) in parts {
        let number: f64 = number.parse().ok()?;
        let unit = Duration::from_nanos(*factor).as_secs_f64();
        sum = sum.checked_add(Duration::try_from_secs_f64(number * unit).ok()?)?;
    }
    Some(sum)
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
            (r#""1.5s""#, r#"write `"1500ms"`"#),
            (r#""0.5s""#, r#"write `"500ms"`"#),
            (r#""1m30s""#, r#"one number and one unit: write `"90s"`"#),
            (r#""1 h 30 min""#, r#"write `"90m"`"#),
            (r#""1_000ms""#, r#"write `"1000ms"`"#),
            (r#""1d""#, r#"write `"24h"`"#),
            (r#"" 50ms""#, r#"no spaces: `"50ms"`"#),
            (r#""99.9%""#, "expected `ns`"),
            (r#""1..5s""#, "expected `ns`"),
            ("-5", "above zero"),
            ("5s", r#"`"5s"`"#),
            ("5ms", r#"`"5ms"`"#),
            ("Duration::from_millis(50)", "no other expression"),
            (r#""5 parsecs""#, "expected `ns`"),
            (r#""-5s""#, "above zero"),
            (r#""""#, "starts with a whole number"),
            (r#""0ms""#, "zero"),
            (r#""99999999999h""#, "too long"),
            (r#""99999999999999999999999ns""#, "too long"),
            ("LIMIT", "no other expression"),
            ("1.5", "string with a unit"),
        ] {
            let said = read(text).expect_err(text);
            assert!(said.contains(part), "{text}: {said}");
        }
    }
}
