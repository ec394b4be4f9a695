//! The attribute as written.

use crate::diag::Diagnostics;
use crate::paths::CratePath;
use crate::syntax::args::{self, Follows, Keys, Once};
use crate::syntax::duration::{self, Given};
use crate::syntax::group::Groups;
use proc_macro2::TokenStream;
use syn::parse::ParseStream;
use syn::{Error, Ident, Lit, LitInt, LitStr, Result};

#[derive(Default)]
pub(crate) struct Args {
    pub(crate) group: Once<Groups>,
    pub(crate) soft: Once<()>,
    pub(crate) hard: Once<()>,
    pub(crate) remote: Once<()>,
    pub(crate) name: Once<LitStr>,
    pub(crate) reason: Once<LitStr>,
    pub(crate) model: Once<LitStr>,
    pub(crate) timing: TimingArgs,
    krate: Once<CratePath>,
}

/// The numbers among them.
#[derive(Default)]
pub(crate) struct TimingArgs {
    pub(crate) cache: Once<Given>,
    pub(crate) timeout: Once<Given>,
    pub(crate) refresh: Once<Given>,
    pub(crate) confirm: Once<Given>,
    pub(crate) max_stale: Once<Given>,
    pub(crate) initial_delay: Once<Given>,
    pub(crate) failures: Once<u32>,
    pub(crate) successes: Once<u32>,
}

impl Args {
    pub(crate) fn read(attribute: TokenStream, diagnostics: &mut Diagnostics) -> Self {
        let mut args = Self::default();
        args::read(attribute, &mut args, diagnostics);
        args
    }

    /// The path to the runtime, unless the attribute gives one that can't be used.
    pub(crate) fn paths(&mut self) -> Option<CratePath> {
        std::mem::take(&mut self.krate).or_default()
    }
}

impl Keys for Args {
    const KNOWN: &'static [&'static str] = &[
        "cache",
        "timeout",
        "group",
        "soft",
        "hard",
        "remote",
        "name",
        "reason",
        "model",
        "refresh",
        "confirm",
        "failures",
        "successes",
        "max_stale",
        "initial_delay",
        "crate",
    ];

    fn key(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        let timing = &mut self.timing;
        let mut time = |slot: &mut Once<Given>, example| {
            slot.value(key, example, input, diagnostics, duration::given)
        };
        match key.to_string().as_str() {
            "cache" => return time(&mut timing.cache, "cache = \"5s\""),
            "timeout" => return time(&mut timing.timeout, "timeout = \"50ms\""),
            "refresh" => return time(&mut timing.refresh, "refresh = \"3s\""),
            "confirm" => return time(&mut timing.confirm, "confirm = \"1s\""),
            "max_stale" => return time(&mut timing.max_stale, "max_stale = \"15s\""),
            "initial_delay" => return time(&mut timing.initial_delay, "initial_delay = \"10s\""),
            _ => {}
        }
        match key.to_string().as_str() {
            "failures" => {
                self.timing
                    .failures
                    .value(key, "failures = 2", input, diagnostics, count(key))
            }
            "successes" => {
                self.timing
                    .successes
                    .value(key, "successes = 1", input, diagnostics, count(key))
            }
            "name" => self.name.value(
                key,
                "name = \"tokenizer\"",
                input,
                diagnostics,
                text(key, "tokenizer"),
            ),
            "reason" => self.reason.value(
                key,
                "reason = \"redis_down\"",
                input,
                diagnostics,
                text(key, "redis_down"),
            ),
            "model" => self.model.value(
                key,
                "model = \"sentiment\"",
                input,
                diagnostics,
                text(key, "sentiment"),
            ),
            "group" => self.group.value(
                key,
                "group = \"readiness\"",
                input,
                diagnostics,
                Groups::parse,
            ),
            "crate" => self.krate.value(
                key,
                "crate = ::instrument_inference",
                input,
                diagnostics,
                CratePath::parse,
            ),
            "soft" => self.soft.flag(key, input, diagnostics),
            "hard" => self.hard.flag(key, input, diagnostics),
            _ => self.remote.flag(key, input, diagnostics),
        }
    }

    fn literal(&mut self, literal: &Lit, _first: bool, diagnostics: &mut Diagnostics) {
        diagnostics.at(
            literal.span(),
            "a check is called what its function is called: another name is `name = \"tokenizer\"`",
        );
    }

    fn unknown(&mut self, word: &str, _first: bool, _follows: Follows) -> Option<String> {
        let meant = match word {
            "ttl" | "cached" | "cache_for" => "`cache`, as in `cache = \"5s\"`",
            "interval" | "period" | "every" => "`refresh`, as in `refresh = \"3s\"`",
            "deadline" | "limit" => "`timeout`, as in `timeout = \"50ms\"`",
            "optional" | "degraded" | "warn" => "`soft`",
            "critical" | "required" | "fatal" => "`hard`",
            "readiness" | "liveness" | "startup" => {
                return Some(format!("a group has a key: `group = \"{word}\"`"));
            }
            _ => return None,
        };
        Some(format!("unknown key `{word}`: did you mean {meant}?"))
    }
}

fn text<'a>(key: &'a Ident, example: &'a str) -> impl Fn(ParseStream<'_>) -> Result<LitStr> + 'a {
    move |input| {
        input.parse().map_err(|mistake: Error| {
            Error::new(
                mistake.span(),
                format!("`{key}` takes a string: `{key} = \"{example}\"`"),
            )
        })
    }
}

fn count(key: &Ident) -> impl Fn(ParseStream<'_>) -> Result<u32> {
    move |input| {
        let number = input.parse::<LitInt>().map_err(|mistake| {
            Error::new(
                mistake.span(),
                format!("`{key}` takes a whole number: `{key} = 2`"),
            )
        })?;
        match number.base10_parse::<u32>() {
            Ok(0) => Err(Error::new(
                number.span(),
                format!("`{key}` counts from 1: at 1 the first one decides"),
            )),
            Ok(count) => Ok(count),
            Err(_) => Err(Error::new(
                number.span(),
                format!("`{key}` is a number from 1 to {}", u32::MAX),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Args, Vec<String>) {
        let mut diagnostics = Diagnostics::new();
        let tokens = text.parse().expect("test input is made of tokens");
        let args = Args::read(tokens, &mut diagnostics);
        (args, diagnostics.texts())
    }

    #[test]
    fn every_key_is_known() {
        let (args, mistakes) = read(
            r#"cache = "5s", timeout = "50ms", group = ["readiness", "startup"], soft, hard, remote, name = "a", reason = "b",
               model = "c", refresh = "1s", confirm = "1s", failures = 2, successes = 1, max_stale = "1m",
               initial_delay = "0s", crate = ::d"#,
        );
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let model = args.model.take().map(|model| model.value());
        assert_eq!(model.as_deref(), Some("c"));
        assert_eq!(args.timing.failures.take(), Some(2));
        assert!(
            args.timing
                .initial_delay
                .take()
                .is_some_and(|delay| delay.duration.is_zero())
        );
    }

    #[test]
    fn one_mistake_gives_one_message() {
        for (text, part) in [
            ("\"tokenizer\"", "another name is `name ="),
            ("5", "another name is `name ="),
            ("cache", "`cache` takes a value: `cache = \"5s\"`"),
            (
                "cache = 5",
                "a duration is a string with a unit: `\"5ms\"`, `\"5s\"`",
            ),
            ("cache = \"5\"", "needs a unit"),
            ("timeout = \"99999999999h\"", "too long"),
            ("soft = true", "stands alone"),
            ("hard, hard", "`hard` is given twice"),
            (
                "name = redis",
                "`name` takes a string: `name = \"tokenizer\"`",
            ),
            ("model = &app.slot", "`model` takes a string"),
            ("failures = 0", "counts from 1"),
            ("successes = \"2\"", "a whole number: `successes = 2`"),
            ("failures = -1", "from 1 to 4294967295"),
            ("failures = 99999999999", "from 1 to 4294967295"),
            (
                "interval = \"1s\"",
                "did you mean `refresh`, as in `refresh = \"3s\"`?",
            ),
            ("critical", "did you mean `hard`?"),
            ("liveness", "`group = \"liveness\"`"),
            ("timeuot = \"1s\"", "did you mean `timeout`?"),
            ("labels(a = b)", "expected one of `cache`, `timeout`"),
            ("crate = a::b", "an absolute path"),
        ] {
            let (_, mistakes) = read(text);
            assert_eq!(mistakes.len(), 1, "{text}: {mistakes:?}");
            assert!(mistakes[0].contains(part), "{text}: {mistakes:?}");
        }
    }
}
