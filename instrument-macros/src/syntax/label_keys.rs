//! Which keys no label can have, whatever its type, each with its way out.

use crate::syntax::case;

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
    (
        "device",
        "belongs to the stage that runs on it: `#[inference_stage(\"execute\", device = …)]`",
    ),
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

/// Why `key` can't be the key of a label, and what to do about it.
pub(crate) fn refused(key: &str) -> Option<String> {
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
pub(crate) fn snake_case(key: &str) -> String {
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
}
