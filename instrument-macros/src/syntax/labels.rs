//! `labels(key = expr, …)`. Values are bounded by their type, which rustc checks; keys that could not be right
//! whatever the type are refused here, each with its way out.

use crate::diag::Diagnostics;
use crate::syntax::{case, expression, separator};
use proc_macro2::TokenTree;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Error, Expr, Ident, LitStr, Result, Token, parenthesized, token};

/// As long as OpenTelemetry's and Prometheus' own names get in practice.
const LONGEST_KEY: usize = 32;

/// Keys that name something without bound, in every usual spelling: lower case, `_` left out.
const UNBOUNDED: [(&[&str], &str); 6] = [
    (
        &[
            "id",
            "requestid",
            "reqid",
            "messageid",
            "transactionid",
            "traceid",
            "spanid",
            "correlationid",
            "uuid",
            "guid",
        ],
        "names one request",
    ),
    (
        &[
            "userid",
            "uid",
            "sessionid",
            "conversationid",
            "threadid",
            "chatid",
            "username",
            "customerid",
            "accountid",
            "apikey",
        ],
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
    (
        &["timestamp", "ts", "datetime", "createdat", "startedat"],
        "never comes twice",
    ),
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
        let span = if input.is_empty() || input.peek(Token![,]) {
            word.span()
        } else {
            input.span()
        };
        return Err(Error::new(
            span,
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
                separator::skip(&content);
            }
            Ok((key, value)) => {
                let name = key.unraw().to_string();
                if let Some(why) = refused(&name) {
                    diagnostics.at(key.span(), why);
                } else if labels.iter().any(|label| label.key == name) {
                    diagnostics.at(key.span(), format!("the label `{name}` is given twice"));
                } else {
                    labels.push(Label { key: name, value });
                }
            }
        }
        separator::comma(&content, "the end of the labels", diagnostics);
    }
    Ok(labels)
}

fn label(input: ParseStream<'_>) -> Result<(Ident, Expr)> {
    if input.peek(Token![%]) || input.peek(Token![?]) {
        return Err(sigil(input));
    }
    if let Some(text) = input.parse::<Option<LitStr>>()? {
        let key = snake_case(&text.value());
        return Err(Error::new(
            text.span(),
            format!("a label's key is a bare word: `{key} = …`"),
        ));
    }
    let Ok(key) = input.call(Ident::parse_any) else {
        return Err(input.error("expected a label's key, a bare word: `kind = request.kind`"));
    };
    if !separator::equals(input) {
        return Err(no_equals(&key, input));
    }
    if input.is_empty() || input.peek(Token![,]) {
        return Err(needs_a_value(&key));
    }
    if input.peek(Token![%]) || input.peek(Token![?]) {
        return Err(sigil(input));
    }
    let value = expression::parse(input).map_err(|mistake: Error| {
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

fn needs_a_value(key: &Ident) -> Error {
    let text = format!("the label `{key}` needs a value: `{key} = EXPRESSION`");
    Error::new(key.span(), text)
}

/// `%` and `?` choose how `tracing` prints a field.
fn sigil(input: ParseStream<'_>) -> Error {
    input.error(
        "a label is not printed, so it takes no `%` or `?`: its type is bounded and says how each value reads",
    )
}

/// What stands behind a key in place of `=`.
fn no_equals(key: &Ident, input: ParseStream<'_>) -> Error {
    if input.is_empty() || input.peek(Token![,]) {
        return needs_a_value(key);
    }
    if !(input.peek(Token![.]) || input.peek(Token![-]) || input.peek(Token![::])) {
        return input.error(format!(
            "between a label's key and its value stands `=`: `{key} = EXPRESSION`"
        ));
    }
    // `user-kind = …` is a key that is none; `request.kind` alone is a value without one.
    let mut words = vec![key.to_string()];
    while !input.is_empty() && !input.peek(Token![=]) && !input.peek(Token![,]) {
        match input.parse::<TokenTree>() {
            Ok(TokenTree::Ident(word)) => words.push(word.to_string()),
            Ok(TokenTree::Punct(_)) => {}
            _ => break,
        }
    }
    let text = if input.peek(Token![=]) {
        format!("a label's key is one word: `{} = …`", words.join("_"))
    } else {
        let last = words.pop().unwrap_or_default();
        format!("a label is a key and a value: `{last} = EXPRESSION`")
    };
    Error::new(key.span(), text)
}

/// Why `key` can't be the key of a label, and what to do about it.
fn refused(key: &str) -> Option<String> {
    let right = snake_case(key);
    if let Some(why) = taken(key).or_else(|| taken_as(key, &right)) {
        return Some(why);
    }
    let first = key.chars().next().is_some_and(|c| c.is_ascii_lowercase());
    if !first || !key.chars().all(fits) {
        // What is not ASCII has no right spelling that could be guessed.
        let hint = if right.is_empty() || !key.is_ascii() {
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

/// Whose `key` is, or that it has no bound.
fn taken(key: &str) -> Option<String> {
    let plain = key.replace('_', "").to_lowercase();
    let one = plain.strip_suffix('s').unwrap_or(&plain);
    if let Some((_, why)) = UNBOUNDED
        .iter()
        .find(|(spellings, _)| spellings.contains(&plain.as_str()) || spellings.contains(&one))
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
    TAKEN_PREFIXES
        .iter()
        .find(|prefix| key.starts_with(**prefix))
        .map(|prefix| {
            format!(
                "keys that begin with `{prefix}` belong to whoever scrapes or stores the metrics: choose another key"
            )
        })
}

/// The same of its right spelling: a hint that is refused in the next build would be none.
fn taken_as(key: &str, right: &str) -> Option<String> {
    let differs = key != right && key.is_ascii();
    differs.then(|| taken(right)).flatten()
}

fn fits(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | '_')
}

/// The key in its right case; what can't be part of a key is left out.
fn snake_case(key: &str) -> String {
    let mut snake = case::snake(key).replace(['-', '.', ' '], "_");
    snake.retain(fits);
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
            "request_ids",
            "UserID",
            "errorType",
            "Pod",
            "_stage",
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
        assert!(refused("Größe").is_some_and(|why| why.ends_with("with a letter")));
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
            "expected an expression",
            "`a` is given twice",
        ];
        assert_eq!(mistakes.len(), parts.len(), "{mistakes:?}");
        for (said, part) in mistakes.iter().zip(parts) {
            assert!(said.contains(part), "{said}");
        }
    }

    #[test]
    fn what_is_no_key_and_value_is_told_once() {
        for (text, part) in [
            ("(a: b)", "stands `=`: `a = EXPRESSION`"),
            ("(a == b)", "stands `=`"),
            ("(a => b)", "stands `=`"),
            ("(a(b))", "stands `=`"),
            ("(\"userKind\" = b)", "a bare word: `user_kind = …`"),
            ("(user-kind = b)", "one word: `user_kind = …`"),
            ("(cache.hit = b)", "one word: `cache_hit = …`"),
            ("(request.kind)", "a key and a value: `kind = EXPRESSION`"),
            ("(%a)", "no `%` or `?`"),
            ("(a = ?b)", "no `%` or `?`"),
            ("(a = b?)", "`?` has no place"),
            ("(a = b c = d)", "expected `,`"),
            ("(a = b; c = d)", "expected `,`"),
            ("(a = b,, c = d)", "one comma too many"),
        ] {
            let (_, mistakes) = read(text);
            assert_eq!(mistakes.len(), 1, "{text}: {mistakes:?}");
            assert!(mistakes[0].contains(part), "{text}: {mistakes:?}");
        }
    }

    #[test]
    fn labels_stand_in_parentheses() {
        assert!(read("= [a]").1[0].contains("in parentheses"));
        assert!(read("()").1[0].contains("empty"));
    }
}
