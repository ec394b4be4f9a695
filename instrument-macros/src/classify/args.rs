//! The attributes as written: `#[classify(…)]` on the item and on its variants.

use crate::diag::Diagnostics;
use crate::paths::CratePath;
use crate::syntax::args::{self, Follows, Keys, Once};
use crate::syntax::{case, derived, separator, spelling};
use syn::parse::ParseStream;
use syn::{Attribute, Error, Fields, Ident, Lit, Result};

/// What a right one looks like.
const EXAMPLE: &str = "classify(internal)";

/// The error types by their values in a metric, with the names of the runtime's variants.
const ERROR_TYPES: [(&str, &str); 10] = [
    ("invalid_input", "InvalidInput"),
    ("model_load", "ModelLoad"),
    ("cuda_oom", "CudaOom"),
    ("resource_exhausted", "ResourceExhausted"),
    ("rate_limited", "RateLimited"),
    ("dependency_timeout", "DependencyTimeout"),
    ("deadline_exceeded", "DeadlineExceeded"),
    ("device_fault", "DeviceFault"),
    ("unavailable", "Unavailable"),
    ("internal", "Internal"),
];

/// What the same is called elsewhere, and what else is no error type.
const MEANT: [(&[&str], &str); 7] = [
    (
        &[
            "bad_request",
            "invalid_argument",
            "invalid_request",
            "invalid",
            "validation",
            "not_found",
            "client",
        ],
        "did you mean `invalid_input`? ",
    ),
    (
        &["timeout", "timed_out"],
        "did you mean `dependency_timeout`, or, for the request's own time, `deadline_exceeded`? ",
    ),
    (
        &["oom", "out_of_memory"],
        "did you mean `cuda_oom`, or, for the host, `resource_exhausted`? ",
    ),
    (
        &["overloaded", "too_many_requests", "throttled"],
        "did you mean `rate_limited`? ",
    ),
    (&["from", "transparent", "inner"], "did you mean `source`? "),
    (
        &["unknown", "other", "error", "server"],
        "did you mean `internal`? ",
    ),
    (
        &["ok", "cancelled", "rejected", "panicked"],
        "that is an outcome, and follows from how the request ends; ",
    ),
];

/// Asks the inner error.
const SOURCE: &str = "source";

/// How an error is to be classified.
pub(crate) enum Says {
    /// By a variant of `ErrorType`.
    Type(&'static str),
    /// By its inner error; the word is where a message belongs when there is none.
    Source(Ident),
}

/// What stands on an item or on a variant.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) krate: Once<CratePath>,
    pub(crate) says: Option<Says>,
    /// Something was said, right or wrong.
    pub(crate) speaks: bool,
    word: Option<Ident>,
    is_variant: bool,
}

impl Args {
    /// Of the item.
    pub(crate) fn read(attributes: &[Attribute], diagnostics: &mut Diagnostics) -> Self {
        let mut args = Self::default();
        args.take(attributes, diagnostics);
        args
    }

    /// Of a variant.
    pub(crate) fn of_variant(attributes: &[Attribute], diagnostics: &mut Diagnostics) -> Self {
        let mut args = Self {
            is_variant: true,
            ..Self::default()
        };
        // also what can't be read: it was meant to say something
        args.speaks = attributes
            .iter()
            .any(|attribute| attribute.path().is_ident("classify"));
        args.take(attributes, diagnostics);
        args
    }

    fn take(&mut self, attributes: &[Attribute], diagnostics: &mut Diagnostics) {
        for (_, tokens) in derived::arguments("classify", EXAMPLE, attributes, diagnostics) {
            args::read(tokens, self, diagnostics);
        }
    }
}

impl Keys for Args {
    const KNOWN: &'static [&'static str] = &[
        "invalid_input",
        "model_load",
        "cuda_oom",
        "resource_exhausted",
        "rate_limited",
        "dependency_timeout",
        "deadline_exceeded",
        "device_fault",
        "unavailable",
        "internal",
        SOURCE,
        "crate",
    ];

    fn key(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        if key == "crate" {
            if self.is_variant {
                return Err(Error::new(
                    key.span(),
                    "`crate` belongs on the enum: `#[classify(crate = ::path)]`",
                ));
            }
            return self.krate.value(
                key,
                "crate = ::instrument_inference",
                input,
                diagnostics,
                CratePath::parse,
            );
        }
        self.speaks = true;
        if !separator::ends(input) {
            let marked = if key == SOURCE {
                ", and the field is marked with `#[source]`"
            } else {
                ""
            };
            return Err(input.error(format!("`{key}` stands alone: it takes no value{marked}")));
        }
        if let Some(first) = &self.word {
            return Err(Error::new(
                key.span(),
                format!("it is `{first}` already: an error has one type"),
            ));
        }
        self.word = Some(key.clone());
        self.says = Some(match ERROR_TYPES.iter().find(|(word, _)| key == word) {
            Some((_, name)) => Says::Type(name),
            None => Says::Source(key.clone()),
        });
        Ok(())
    }

    fn literal(&mut self, literal: &Lit, _first: bool, diagnostics: &mut Diagnostics) {
        self.speaks = true;
        let text = match literal {
            Lit::Str(text) => case::snake(&text.value()),
            Lit::Int(status) => match status.base10_parse() {
                Ok(429) => "rate_limited",
                Ok(503) => "unavailable",
                Ok(504) => "deadline_exceeded",
                Ok(400..=499) => "invalid_input",
                _ => "internal",
            }
            .to_owned(),
            _ => String::new(),
        };
        let known = ERROR_TYPES.iter().find(|(word, _)| *word == text);
        let word = known.map_or("internal", |(word, _)| word);
        diagnostics.at(
            literal.span(),
            format!("an error type is a bare word: `#[classify({word})]`"),
        );
    }

    fn unknown(&mut self, word: &str, _first: bool, _follows: Follows) -> Option<String> {
        self.speaks = true;
        if word == "ErrorType" {
            return Some(format!(
                "an error type is a bare word, such as `#[{EXAMPLE}]`"
            ));
        }
        let meant = MEANT.iter().find(|(words, _)| words.contains(&word));
        let words = ERROR_TYPES.map(|(word, _)| word);
        let hint = match meant {
            Some((_, hint)) => (*hint).to_owned(),
            None => spelling::nearest(&case::snake(word), Self::KNOWN)
                .map_or(String::new(), |near| format!("did you mean `{near}`? ")),
        };
        Some(format!(
            "unknown error type `{word}`: {hint}expected one of {}, or `{SOURCE}` to ask the inner error",
            spelling::list(&words)
        ))
    }
}

/// `#[classify(…)]` on a field says nothing about any error.
pub(crate) fn refuse_on_fields(fields: &Fields, diagnostics: &mut Diagnostics) {
    for attribute in fields.iter().flat_map(|field| &field.attrs) {
        if let Some(word) = attribute
            .path()
            .get_ident()
            .filter(|word| *word == "classify")
        {
            diagnostics.at(
                word.span(),
                "`classify` stands on the error, not on its field; the field to ask is marked with `#[source]`",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_type_is_a_word() {
        let words = ERROR_TYPES.map(|(word, _)| word);
        assert_eq!(Args::KNOWN[..words.len()], words);
        for (word, name) in ERROR_TYPES {
            assert_eq!(case::snake(name), word);
        }
    }
}
