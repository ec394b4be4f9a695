//! The enum as checked: only its values can be expanded.

use crate::diag::Diagnostics;
use crate::label_value::args;
use crate::syntax::case;
use crate::syntax::derived::{Data, Derived};
use proc_macro2::Span;
use std::collections::HashMap;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Ident, Variant};

/// The runtime cuts what is longer.
const LONGEST: usize = 128;

/// Goes on behind what has any number of values.
const BOUNDED: &str = "each value of a label is a time series that every scraper keeps, so their number must follow \
                       from the type";

const WAYS_OUT: &str = "derive `LabelValue` for an enum whose variants have no fields, or, for texts that are known \
                        only at run time, use the labels of a `LabelSet`";

/// A variant and how it reads in a metric.
pub(crate) struct Value {
    pub(crate) variant: Ident,
    pub(crate) text: String,
}

/// The values, in the order of the variants. Not to be used when there was a mistake.
pub(crate) fn values(item: &Derived, diagnostics: &mut Diagnostics) -> Vec<Value> {
    match &item.data {
        Data::Struct(keyword, _) => {
            diagnostics.at(
                *keyword,
                format!("a struct can have any number of values, but {BOUNDED}: {WAYS_OUT}"),
            );
            Vec::new()
        }
        Data::Union(keyword) => {
            diagnostics.at(
                *keyword,
                format!("a union can have any number of values, but {BOUNDED}: {WAYS_OUT}"),
            );
            Vec::new()
        }
        Data::Enum(variants) => {
            if variants.is_empty() {
                diagnostics.at(
                    item.name.span(),
                    format!(
                        "`{}` has no variants, so there is no value that could be shown: a label needs at least one",
                        item.name
                    ),
                );
            }
            let mut with_fields = variants.iter().filter(|variant| !variant.fields.is_empty());
            match (with_fields.next(), item.generics.params.first()) {
                (Some(first), _) => {
                    let name = &first.ident;
                    diagnostics.at(
                        fields(first),
                        format!("`{name}` has fields, so it can have any number of values, but {BOUNDED}: {WAYS_OUT}"),
                    );
                    for other in with_fields {
                        diagnostics.at(fields(other), format!("`{}` has fields too", other.ident));
                    }
                }
                // Without fields there is nothing that a parameter could be for.
                (None, Some(parameter)) => diagnostics.at(
                    parameter.span(),
                    format!("a generic enum is a label of its own for each of its parameters, but {BOUNDED}: {WAYS_OUT}"),
                ),
                (None, None) => {}
            }
            texts(variants, diagnostics)
        }
    }
}

fn fields(variant: &Variant) -> Span {
    match &variant.fields {
        syn::Fields::Named(fields) => fields.brace_token.span.join(),
        syn::Fields::Unnamed(fields) => fields.paren_token.span.join(),
        syn::Fields::Unit => variant.ident.span(),
    }
}

fn texts(variants: &[Variant], diagnostics: &mut Diagnostics) -> Vec<Value> {
    let mut taken: HashMap<String, &Ident> = HashMap::new();
    let mut values = Vec::new();
    for variant in variants {
        let given = args::text(variant, diagnostics);
        let (text, at) = match &given {
            Some(text) => (text.value(), text.span()),
            None => (
                case::snake(&variant.ident.unraw().to_string()),
                variant.ident.span(),
            ),
        };
        if let Some(why) = refused(&text) {
            diagnostics.at(at, why);
        } else if let Some(first) = taken.get(&text) {
            diagnostics.at(
                at,
                format!(
                    "`{}` reads `{text}` too, and would be the same time series: give one of them another text, `#[label(\"…\")]`",
                    first.unraw()
                ),
            );
        } else {
            taken.insert(text.clone(), &variant.ident);
        }
        values.push(Value {
            variant: variant.ident.clone(),
            text,
        });
    }
    values
}

/// Why a text can't be the value of a label.
fn refused(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some(
            "an empty label is a label that is not there: to leave it out, use an `Option`"
                .to_owned(),
        );
    }
    if text.len() > LONGEST {
        return Some(format!(
            "a label's text has at most {LONGEST} bytes: this one has {}",
            text.len()
        ));
    }
    let control = text.chars().find(|c| c.is_control())?;
    Some(format!(
        "a label's text has no control characters: this one has `{}`",
        control.escape_default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let mut diagnostics = Diagnostics::new();
        let tokens = text.parse().expect("test input is made of tokens");
        let item = Derived::read(tokens, &mut diagnostics).expect("test input is an item");
        let values = values(&item, &mut diagnostics);
        (
            values.into_iter().map(|value| value.text).collect(),
            diagnostics.texts(),
        )
    }

    #[test]
    fn values_are_the_variants_in_snake_case_or_their_texts() {
        let (values, mistakes) =
            read("enum A { Free, r#type, HTTPServer, #[label(\"paid & gold\",)] Paid = 7 }");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        assert_eq!(values, ["free", "type", "http_server", "paid & gold"]);
        let longest = "x".repeat(LONGEST);
        let (_, mistakes) = read(&format!("enum A {{ #[label(\"{longest}\")] B }}"));
        assert!(mistakes.is_empty(), "{mistakes:?}");
    }

    #[test]
    fn what_is_not_bounded_is_told_once_on_each_place() {
        for (item, parts) in [
            ("struct A;", &["a struct can have any number"][..]),
            ("union A { b: u8 }", &["a union can have any number"]),
            (
                "enum A { B(u8), C, D { e: u8 } }",
                &["`B` has fields, so", "`D` has fields too"],
            ),
            ("enum A<const N: usize> { B }", &["a generic enum"]),
            ("enum A<T> { B(T) }", &["`B` has fields"]),
            ("enum A {}", &["no variants"]),
            ("enum A { B(), C {} }", &[]),
        ] {
            let (_, mistakes) = read(item);
            assert_eq!(mistakes.len(), parts.len(), "{item}: {mistakes:?}");
            for (said, part) in mistakes.iter().zip(parts) {
                assert!(said.contains(part), "{item}: {said}");
            }
        }
    }

    #[test]
    fn texts_are_checked() {
        for (text, part) in [
            ("#[label(\"\")] B", "not there"),
            ("#[label(\"a\\nb\")] B", "has `\\n`"),
            ("#[label] B", "in parentheses: `#[label(\"text\")]`"),
            ("#[label = \"a\"] B", "in parentheses"),
            ("#[label()] B", "in parentheses"),
            ("#[label(b)] B", "is a string literal"),
            ("#[label(3)] B", "is a string literal"),
            ("#[label(\"a\", \"b\")] B", "one text"),
            ("#[label(\"a\")] #[label(\"b\")] B", "given twice"),
            ("#[label(crate = ::a)] B", "belongs on the enum"),
            ("#[label(rename = \"b\")] B", "stands alone"),
            ("B, b", "`B` reads `b` too"),
            ("B, #[label(\"b\")] C", "`B` reads `b` too"),
        ] {
            let (_, mistakes) = read(&format!("enum A {{ {text} }}"));
            assert_eq!(mistakes.len(), 1, "{text}: {mistakes:?}");
            assert!(mistakes[0].contains(part), "{text}: {}", mistakes[0]);
        }
        let (_, mistakes) = read(&format!("enum A {{ {} }}", "B".repeat(129)));
        assert!(mistakes[0].contains("has 129"), "{mistakes:?}");
    }
}
