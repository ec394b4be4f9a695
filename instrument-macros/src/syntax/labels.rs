//! `labels(key = expr, …)`. Values are bounded by their type, which rustc checks; keys that could not be right
//! whatever the type are refused here, each with its way out.

use crate::diag::Diagnostics;
use crate::syntax::case;
use proc_macro2::TokenTree;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Error, Expr, Ident, Result, Token, parenthesized, token};

/// As the runtime, which has no words for it where nothing is measured.
const MOST_LABELS: usize = 8;

/// As long as OpenTelemetry's and Prometheus' own names get in practice.
const LONGEST_KEY: usize = 32;

/// Keys that name something without bound, in every usual spelling: lower case, `_` left out.
const UNBOUNDED: [(&[&str], &str); 6] = [
    (
        &[
            "requestid",
            "reqid",
            "traceid",
            "spanid",
            "correlationid",
            "uuid",
            "guid",
        ],
        "names one request",
    ),
    (
        &["userid", "uid", "sessionid", "username", "customerid"],
        "names one person or session",
    ),
    (
        &[
            "email",
            "emailaddress",
            "ip",
            "ipaddr",
            "ipaddress",
            "clientip",
            "remoteaddr",
        ],
        "names one person or machine",
    ),
    (
        &[
            "prompt",
            "prompttext",
            "text",
            "inputtext",
            "input",
            "inputs",
        ],
        "is what a client wrote",
    ),
    (
        &["url", "uri", "path", "urlpath", "requestpath"],
        "is written by clients",
    ),
    (&["timestamp", "ts", "datetime"], "never comes twice"),
];

/// Keys that a scraper or a store sets itself.
const TAKEN: [&str; 15] = [
    "namespace",
    "pod",
    "service",
    "instance",
    "job",
    "container",
    "endpoint",
    "node",
    "cluster",
    "replica",
    "prometheus",
    "prometheus_replica",
    "host",
    "region",
    "zone",
];

/// Beginnings of keys that a scraper or a store sets itself.
const TAKEN_PREFIXES: [&str; 3] = ["exported_", "otel_", "__"];

/// What the catalogue calls labels of its own.
const CATALOGUE: &str = "is a label of the catalogue: choose another key";

/// Keys of the metric format and of the catalogue, with the right place for such a value.
const OURS: [(&str, &str); 20] = [
    (
        "le",
        "is how histograms name their buckets: choose another key",
    ),
    (
        "quantile",
        "is how summaries name their quantiles: choose another key",
    ),
    (
        "model",
        "is on every series already: give the slot with `model = …`",
    ),
    (
        "version",
        "is on every series already: it comes with the slot, `model = …`",
    ),
    (
        "stage",
        "is on every stage already: it is the name in the attribute",
    ),
    (
        "outcome",
        "is on every series already: it comes from the returned value",
    ),
    (
        "error_type",
        "is on every error already: it comes from the error's type, or from `error = …`",
    ),
    (
        "tenant",
        "belongs to the request: `#[inference_request(tenant = …)]`",
    ),
    (
        "tier",
        "belongs to the request: `#[inference_request(tier = …)]`",
    ),
    (
        "ingress",
        "belongs to the request: `#[inference_request(ingress = …)]`",
    ),
    ("device", CATALOGUE),
    ("queue", CATALOGUE),
    ("reason", CATALOGUE),
    ("state", CATALOGUE),
    ("check", CATALOGUE),
    ("scope", CATALOGUE),
    ("cause", CATALOGUE),
    ("trigger", CATALOGUE),
    ("token_type", CATALOGUE),
    ("finish_reason", CATALOGUE),
];

/// An accepted key and the user's expression.
pub(crate) struct Label {
    pub(crate) key: String,
    pub(crate) value: Expr,
}

/// Reads `(KEY = EXPR, …)` behind the word `labels`. What is wrong with one label goes to `diagnostics`.
pub(crate) fn parse(
    word: &Ident,
    input: ParseStream<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Label>> {
    if !input.peek(token::Paren) {
        return Err(Error::new(
            word.span(),
            "`labels` takes a list in parentheses: `labels(kind = request.kind)`",
        ));
    }
    let content;
    parenthesized!(content in input);
    if content.is_empty() {
        diagnostics.at(
            word.span(),
            "`labels()` is empty: `labels(kind = request.kind)`",
        );
    }
    let mut labels: Vec<Label> = Vec::new();
    while !content.is_empty() {
        match label(&content) {
            Err(mistake) => {
                diagnostics.push(mistake);
                while !content.is_empty()
                    && !content.peek(Token![,])
                    && content.parse::<TokenTree>().is_ok()
                {}
            }
            Ok((key, value)) => {
                let name = key.unraw().to_string();
                if let Some(why) = refused(&name) {
                    diagnostics.at(key.span(), why);
                } else if labels.iter().any(|label| label.key == name) {
                    diagnostics.at(key.span(), format!("the label `{name}` is given twice"));
                } else if labels.len() == MOST_LABELS {
                    let text = format!("at most {MOST_LABELS} labels: this is one too many");
                    diagnostics.at(key.span(), text);
                } else {
                    labels.push(Label { key: name, value });
                }
            }
        }
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    Ok(labels)
}

fn label(input: ParseStream<'_>) -> Result<(Ident, Expr)> {
    let Ok(key) = input.call(Ident::parse_any) else {
        return Err(input.error("expected a label's key, a bare word: `kind = request.kind`"));
    };
    let missing = || {
        Error::new(
            key.span(),
            format!("the label `{key}` needs a value: `{key} = EXPRESSION`"),
        )
    };
    input.parse::<Token![=]>().map_err(|_| missing())?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(missing());
    }
    let value = input.parse().map_err(|mistake: Error| {
        match mistake
            .to_string()
            .strip_prefix("unexpected end of input, ")
        {
            Some(expected) => Error::new(
                key.span(),
                format!("the value of the label `{key}` is not complete: {expected}"),
            ),
            None => mistake,
        }
    })?;
    Ok((key, value))
}

/// Why `key` can't be the key of a label, and what to do about it.
fn refused(key: &str) -> Option<String> {
    let plain = key.replace('_', "").to_lowercase();
    if let Some((_, why)) = UNBOUNDED
        .iter()
        .find(|(spellings, _)| spellings.contains(&plain.as_str()))
    {
        return Some(format!(
            "`{key}` {why}: as a label, every value would be a new time series, kept for ever. Put it in the span or the sample"
        ));
    }
    if let Some((_, instead)) = OURS.iter().find(|(ours, _)| *ours == key) {
        return Some(format!("`{key}` {instead}"));
    }
    if TAKEN.contains(&key) {
        return Some(format!(
            "`{key}` is set by whoever scrapes or stores the metrics: yours would end as `exported_{key}` or be overwritten. Choose another key, such as `target_{key}`"
        ));
    }
    if let Some(prefix) = TAKEN_PREFIXES
        .iter()
        .find(|prefix| key.starts_with(**prefix))
    {
        return Some(format!(
            "keys that begin with `{prefix}` belong to whoever scrapes or stores the metrics: choose another key"
        ));
    }
    let first = key.chars().next().is_some_and(|c| c.is_ascii_lowercase());
    if !first
        || !key
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    {
        let right = snake_case(key);
        let hint = if right == key || refused(&right).is_some() {
            String::new()
        } else {
            format!(": `{right}`")
        };
        return Some(format!(
            "a label's key is lower case letters, digits and `_`, beginning with a letter{hint}"
        ));
    }
    if key.len() > LONGEST_KEY {
        return Some(format!(
            "a label's key has at most {LONGEST_KEY} characters: this one has {}",
            key.len()
        ));
    }
    None
}

/// The key in its right case; what can't be part of a key is left out.
fn snake_case(key: &str) -> String {
    let mut snake = case::snake(key);
    snake.retain(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let start = snake.find(|c: char| c.is_ascii_lowercase());
    snake.split_off(start.unwrap_or(snake.len()))
}

/// The words of [`UNBOUNDED`] and [`TAKEN`] for tests and for the manual.
#[cfg(test)]
fn examples() -> impl Iterator<Item = &'static str> {
    UNBOUNDED
        .iter()
        .flat_map(|(words, _)| words.iter().copied())
        .chain(TAKEN)
        .chain(OURS.map(|(ours, _)| ours))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;
    use quote::ToTokens;
    use syn::parse::Parser;

    fn read(text: &str) -> (Vec<(String, String)>, Vec<String>) {
        let mut diagnostics = Diagnostics::new();
        let word = Ident::new("labels", Span::call_site());
        let parser = |input: ParseStream<'_>| parse(&word, input, &mut diagnostics);
        let labels = parser.parse2(text.parse().expect("test input is made of tokens"));
        let labels = labels.unwrap_or_else(|mistake| {
            diagnostics.push(mistake);
            Vec::new()
        });
        let labels = labels
            .into_iter()
            .map(|label| (label.key, label.value.to_token_stream().to_string()));
        (labels.collect(), diagnostics.texts())
    }

    #[test]
    fn labels_are_read() {
        let (labels, mistakes) =
            read("(kind = request.kind, type = \"x\", r#match = f::<A, B>(),)");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        assert_eq!(
            labels
                .iter()
                .map(|(key, _)| key.as_str())
                .collect::<Vec<_>>(),
            ["kind", "type", "match"]
        );
    }

    #[test]
    fn every_refused_key_is_refused_with_a_way_out() {
        for key in examples().chain([
            "requestId",
            "request_id",
            "REQUEST_ID",
            "exported_x",
            "otel_scope",
            "__name__",
        ]) {
            let why = refused(key).unwrap_or_else(|| panic!("`{key}` was taken"));
            let ways = [
                "the sample",
                "another key",
                "= …",
                "it comes",
                "it is the name",
            ];
            assert!(ways.iter().any(|way| why.contains(way)), "{why}");
        }
    }

    #[test]
    fn keys_have_a_grammar() {
        assert_eq!(refused("batch_kind2"), None);
        assert!(refused("batchKind").is_some_and(|why| why.contains("`batch_kind`")));
        assert!(refused("Größe").is_some());
        assert!(refused("_x").is_some_and(|why| why.ends_with(": `x`")));
        assert!(refused(&"x".repeat(33)).is_some_and(|why| why.contains("at most 32")));
        assert_eq!(refused(&"x".repeat(32)), None);
    }

    #[test]
    fn one_wrong_label_does_not_hide_the_next() {
        let (labels, mistakes) =
            read("(pod = a, kind, 3 = 4, size = , kind2 = a + , a = 1, a = 2)");
        assert_eq!(labels.len(), 1);
        let parts = [
            "exported_pod",
            "`kind` needs a value",
            "bare word",
            "`size` needs a value",
            "expected",
            "`a` is given twice",
        ];
        assert_eq!(mistakes.len(), parts.len(), "{mistakes:?}");
        for (said, part) in mistakes.iter().zip(parts) {
            assert!(said.contains(part), "{said}");
        }
    }

    #[test]
    fn labels_stand_in_parentheses() {
        assert!(read("= [a]").1[0].contains("in parentheses"));
        assert!(read("()").1[0].contains("empty"));
    }
}
