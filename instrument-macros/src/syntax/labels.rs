//! `labels(key = expr, …)`. Values are bounded by their type, which rustc checks; keys that could not be right
//! whatever the type are refused here.

use crate::diag::Diagnostics;
use crate::syntax::label_keys::{refused, snake_case};
use crate::syntax::{expression, separator};
use proc_macro2::TokenTree;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Error, Expr, Ident, LitStr, Result, Token, parenthesized, token};

/// As the runtime, which has no words for it where nothing is measured.
const MOST_LABELS: usize = 8;

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
                } else if labels.len() == MOST_LABELS {
                    let text = format!("at most {MOST_LABELS} labels: this is one too many");
                    diagnostics.at(key.span(), text);
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
