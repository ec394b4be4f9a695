//! The attribute as written.

use crate::diag::Diagnostics;
use crate::syntax::args::{self, Follows, Keys, Once};
use crate::syntax::duration;
use crate::syntax::expression;
use crate::syntax::keys::SharedKeys;
use crate::syntax::{peers, separator};
use proc_macro2::{Span, TokenStream};
use syn::parse::ParseStream;
use syn::{Expr, Ident, Lit, LitStr, Result};

const EXAMPLE: &str = "`#[inference_stage(\"execute\")]`";

/// What is written in its place is read before it has a value.
const LITERAL: &str = "the stage's name is a string literal, and no other expression";

#[derive(Default)]
pub(crate) struct Args {
    pub(crate) name: Option<LitStr>,
    /// Something stood in the name's place and was reported.
    pub(crate) name_is_wrong: bool,
    pub(crate) custom: Once<()>,
    /// `None` where it stands alone.
    pub(crate) device: Once<Option<Expr>>,
    pub(crate) batch: Once<Expr>,
    /// Nanoseconds.
    pub(crate) stall: Once<u64>,
    pub(crate) shared: SharedKeys,
}

impl Args {
    pub(crate) fn read(attribute: TokenStream, diagnostics: &mut Diagnostics) -> Self {
        let mut args = Self::default();
        args::read(attribute, &mut args, diagnostics);
        args
    }

    /// Where `stall` stands, which asks for an execution, unless `device` says that it is one.
    pub(crate) fn must_execute(&self) -> Option<Span> {
        self.stall.key().filter(|_| self.device.key().is_none())
    }
}

impl Keys for Args {
    const KNOWN: &'static [&'static str] = &[
        "labels",
        "model",
        "batch",
        "device",
        "buckets",
        "objective",
        "stall",
        "stream",
        "error",
        "no_span",
        "custom",
        "crate",
    ];

    fn key(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        if self.shared.key(key, input, diagnostics)? {
            return Ok(());
        }
        if key == "batch" {
            return self
                .batch
                .value(key, "batch = batch", input, diagnostics, expression::parse);
        }
        if key == "custom" {
            return self.custom.flag(key, input, diagnostics);
        }
        if key == "stall" {
            return self
                .stall
                .value(key, "stall = \"90s\"", input, diagnostics, duration::parse);
        }
        if separator::ends(input) {
            return self.device.entry(key, diagnostics, |_| Ok(None));
        }
        self.device
            .value(key, "device = self.gpu", input, diagnostics, |input| {
                expression::parse(input).map(Some)
            })
    }

    fn literal(&mut self, literal: &Lit, first: bool, diagnostics: &mut Diagnostics) {
        match literal {
            Lit::Str(name) if first => self.name = Some(name.clone()),
            Lit::Str(name) if self.name.is_some() => {
                diagnostics.at(
                    name.span(),
                    "a stage has one name: one more text has no meaning here",
                );
            }
            Lit::Str(name) => {
                self.name_is_wrong = true;
                diagnostics.at(
                    name.span(),
                    format!("the stage's name comes first: {EXAMPLE}"),
                );
            }
            other => {
                self.name_is_wrong |= first;
                diagnostics.at(
                    other.span(),
                    format!("the stage's name is a string: {EXAMPLE}"),
                );
            }
        }
    }

    fn unknown(&mut self, word: &str, first: bool, follows: Follows) -> Option<String> {
        if matches!(word, "name" | "stage") && follows == Follows::Value {
            self.name_is_wrong = true;
            return Some(format!(
                "the stage's name comes first, without a key: {EXAMPLE}"
            ));
        }
        if first && follows != Follows::Value {
            self.name_is_wrong = true;
            let is_name = follows == Follows::Nothing
                && !matches!(word, "true" | "false")
                && word.to_lowercase() == word;
            return Some(if is_name {
                format!("the stage's name is a string: `\"{word}\"`")
            } else {
                format!("{LITERAL}: {EXAMPLE}")
            });
        }
        if matches!(word, "tenant" | "tier" | "ingress" | "route" | "root") {
            let given = if word == "root" {
                "root"
            } else {
                &format!("{word} = …")
            };
            return Some(format!(
                "`{word}` belongs to the request: `#[inference_request({given})]`"
            ));
        }
        match word {
            "version" => Some(
                "`version` comes with the model's slot: `model = &self.slot`".to_owned(),
            ),
            "timeout" => Some(
                "a stage has no time-out: the request has one, `telemetry.request_layer(\"http\").timeout(\"2s\")`"
                    .to_owned(),
            ),
            "gpu" | "cuda" | "execution" => Some(format!(
                "`{word}` is called `device` here: it marks a stage that runs on the device"
            )),
            _ => peers::answer(word),
        }
    }

    fn no_key(&mut self, first: bool) -> Option<String> {
        self.name_is_wrong |= first;
        first.then(|| format!("{LITERAL}: {EXAMPLE}"))
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
            r#""execute", labels(a = b), model = c, device = f, buckets = [1], objective = "1s", stall = "90s", error = d, no_span, custom, crate = ::e"#,
        );
        assert!(mistakes.is_empty(), "{mistakes:?}");
        assert_eq!(
            args.name.map(|name| name.value()).as_deref(),
            Some("execute")
        );
        assert!(args.device.key().is_some() && args.custom.key().is_some());
    }

    #[test]
    fn a_name_in_the_wrong_place_is_told_once() {
        for text in [
            "execute",
            "name = \"execute\"",
            "device, \"execute\"",
            "b\"execute\"",
            "3",
            "NAME",
            "names::EXECUTE",
            "concat!(\"exe\", \"cute\")",
            "(\"execute\")",
            "&\"execute\"",
            "true",
        ] {
            let (args, mistakes) = read(text);
            assert!(args.name.is_none() && args.name_is_wrong, "{text}");
            assert_eq!(mistakes.len(), 1, "{text}: {mistakes:?}");
            assert!(
                mistakes[0].starts_with("the stage's name"),
                "{text}: {mistakes:?}"
            );
        }
    }

    #[test]
    fn keys_that_are_not_there_are_unknown() {
        let (_, mistakes) = read("\"a\", colour = \"b\"");
        assert!(
            mistakes.len() == 1 && mistakes[0].starts_with("unknown key"),
            "{mistakes:?}"
        );
    }

    #[test]
    fn keys_of_others_are_answered_with_ours() {
        for (text, part) in [
            ("name = \"a\"", "comes first, without a key"),
            ("skip_all", "nothing to leave out"),
            ("fields(a = 1)", "called `labels` here"),
            ("err", "`error = path`"),
            ("level = \"info\"", "tracing::instrument"),
            ("histogram", "always measured"),
            ("slo = \"50ms\"", "called `objective` here"),
            ("gpu", "called `device` here"),
            ("timeout = \"1s\"", "request_layer"),
            ("version = \"1\"", "the model's slot"),
            ("root", "`#[inference_request(root)]`"),
        ] {
            let (_, mistakes) = read(&format!("\"a\", {text}"));
            assert_eq!(mistakes.len(), 1, "{text}: {mistakes:?}");
            assert!(mistakes[0].contains(part), "{text}: {mistakes:?}");
        }
    }
}
