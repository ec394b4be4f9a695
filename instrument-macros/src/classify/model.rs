//! The error as checked: only its answers can be expanded.

use crate::classify::args::{self, Args, Says};
use crate::diag::Diagnostics;
use crate::syntax::derived::{Data, Derived};
use syn::ext::IdentExt;
use syn::{Field, Fields, Ident, Index, Member};

/// A variant, or the struct itself, and what it answers.
pub(crate) struct Answer {
    /// None for a struct.
    pub(crate) variant: Option<Ident>,
    pub(crate) is: Is,
}

/// What is answered.
pub(crate) enum Is {
    /// A variant of `ErrorType`.
    Type(&'static str),
    /// What the inner error in this field answers.
    Inner(Member),
}

/// One for each variant, in their order. Not to be used when there was a mistake.
pub(crate) fn answers(item: &Derived, args: Args, diagnostics: &mut Diagnostics) -> Vec<Answer> {
    match &item.data {
        Data::Union(keyword) => {
            diagnostics.at(
                *keyword,
                "`Classify` is derived for enums and structs: what is in a union nobody knows",
            );
            Vec::new()
        }
        Data::Struct(_, fields) => {
            args::refuse_on_fields(fields, diagnostics);
            if !args.speaks {
                diagnostics.at(item.name.span(), silent(&item.name, "", fields));
            }
            let is = args
                .says
                .and_then(|says| is(&item.name, says, fields, diagnostics));
            is.map(|is| Answer { variant: None, is })
                .into_iter()
                .collect()
        }
        Data::Enum(variants) => {
            let mut answers = Vec::new();
            for variant in variants {
                args::refuse_on_fields(&variant.fields, diagnostics);
                let own = Args::of_variant(&variant.attrs, diagnostics);
                if !own.speaks && !args.speaks {
                    let text = silent(
                        &variant.ident,
                        ", or `#[classify(internal)]` on the enum for all that say nothing",
                        &variant.fields,
                    );
                    diagnostics.at(variant.ident.span(), text);
                }
                let says = match (own.says, own.speaks) {
                    (Some(says), _) => Some(says),
                    (None, true) => None,
                    // what is wrong with the default then is wrong with this variant
                    (None, false) => args.says.as_ref().map(|says| match says {
                        Says::Source(_) => Says::Source(variant.ident.clone()),
                        Says::Type(name) => Says::Type(name),
                    }),
                };
                let is =
                    says.and_then(|says| is(&variant.ident, says, &variant.fields, diagnostics));
                answers.extend(is.map(|is| Answer {
                    variant: Some(variant.ident.clone()),
                    is,
                }));
            }
            answers
        }
    }
}

fn silent(name: &Ident, or: &str, fields: &Fields) -> String {
    let source = if fields.is_empty() {
        ""
    } else {
        ", or `#[classify(source)]` to ask its inner error"
    };
    format!(
        "`{}` does not say which error type it is: write `#[classify(internal)]` or another type on it{source}{or}",
        name.unraw()
    )
}

fn is(name: &Ident, says: Says, fields: &Fields, diagnostics: &mut Diagnostics) -> Option<Is> {
    let word = match says {
        Says::Type(name) => return Some(Is::Type(name)),
        Says::Source(word) => word,
    };
    let found = inner(fields);
    if found.is_none() {
        let name = name.unraw();
        let text = if fields.is_empty() {
            format!(
                "`{name}` has no inner error to ask: write its type, such as `#[classify(internal)]`"
            )
        } else {
            format!("which field of `{name}` is the inner error? Mark it with `#[source]`")
        };
        diagnostics.at(word.span(), text);
    }
    found.map(Is::Inner)
}

/// The field with the inner error: the one that is marked, else the one that is called `source`, else the only one.
/// With more than one mark there is none.
fn inner(fields: &Fields) -> Option<Member> {
    let is_marked = |field: &Field| {
        field.attrs.iter().any(|attribute| {
            attribute.path().is_ident("source") || attribute.path().is_ident("from")
        })
    };
    let is_source = |field: &Field| field.ident.as_ref().is_some_and(|name| name == "source");
    let marked = fields.iter().filter(|field| is_marked(field)).count();
    let found = match marked {
        0 if fields.len() == 1 => fields.iter().position(|_| true),
        0 => fields.iter().position(is_source),
        1 => fields.iter().position(is_marked),
        _ => None,
    }?;
    let field = fields.iter().nth(found)?;
    Some(match &field.ident {
        Some(name) => Member::Named(name.clone()),
        None => Member::Unnamed(Index::from(found)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let mut diagnostics = Diagnostics::new();
        let tokens = text.parse().expect("test input is made of tokens");
        let item = Derived::read(tokens, &mut diagnostics).expect("test input is an item");
        let args = Args::read(&item.attributes, &mut diagnostics);
        let shown = answers(&item, args, &mut diagnostics)
            .into_iter()
            .map(|answer| match answer.is {
                Is::Type(name) => name.to_owned(),
                Is::Inner(Member::Named(name)) => format!(".{name}"),
                Is::Inner(Member::Unnamed(index)) => format!(".{}", index.index),
            });
        (shown.collect(), diagnostics.texts())
    }

    #[test]
    fn answers_are_read() {
        for (item, expected) in [
            (
                "enum A { #[classify(cuda_oom)] B, #[classify(internal,)] C(u8) }",
                &["CudaOom", "Internal"][..],
            ),
            (
                "#[classify(unavailable)] enum A { B, #[classify(rate_limited)] C { d: u8 } }",
                &["Unavailable", "RateLimited"],
            ),
            (
                "#[classify(source)] enum A { B(X), C { d: u8, source: X }, #[classify(internal)] D }",
                &[".0", ".source", "Internal"],
            ),
            (
                "enum A { #[classify(source)] B(u8, #[from] X), #[classify(source)] C { #[source] d: X, source: u8 } }",
                &[".1", ".d"],
            ),
            (
                "#[classify(invalid_input, crate = ::a)] struct A;",
                &["InvalidInput"],
            ),
            (
                "#[classify(crate = ::a)] #[classify(source)] struct A { b: X }",
                &[".b"],
            ),
            ("enum A {}", &[]),
        ] {
            let (answers, mistakes) = read(item);
            assert!(mistakes.is_empty(), "{item}: {mistakes:?}");
            assert_eq!(answers, expected, "{item}");
        }
    }

    #[test]
    fn mistakes_are_told_once() {
        for (item, part) in [
            ("enum A { B }", "on the enum for all that say nothing"),
            ("struct A(X);", "`#[classify(source)]` to ask"),
            ("union A { b: u8 }", "enums and structs"),
            (
                "enum A { #[classify(cuda_omm)] B }",
                "did you mean `cuda_oom`? expected one of `invalid_input`, ",
            ),
            (
                "enum A { #[classify(CudaOom)] B }",
                "did you mean `cuda_oom`?",
            ),
            (
                "enum A { #[classify(gone)] B }",
                "unknown error type `gone`: expected one of `invalid_input`, ",
            ),
            (
                "enum A { #[classify(\"CudaOom\")] B }",
                "a bare word: `#[classify(cuda_oom)]`",
            ),
            ("enum A { #[classify(internal = 1)] B }", "stands alone"),
            (
                "enum A { #[classify(source = b)] B { b: X } }",
                "marked with `#[source]`",
            ),
            (
                "enum A { #[classify(ErrorType::CudaOom)] B }",
                "a bare word, such as",
            ),
            (
                "enum A { #[classify(429)] B }",
                "`#[classify(rate_limited)]`",
            ),
            (
                "enum A { #[classify(bad_request)] B }",
                "did you mean `invalid_input`?",
            ),
            ("enum A { #[classify(cancelled)] B }", "that is an outcome"),
            (
                "enum A { #[classify(internal, unavailable)] B }",
                "it is `internal` already",
            ),
            (
                "enum A { #[classify(internal)] #[classify(internal)] B }",
                "it is `internal` already",
            ),
            (
                "enum A { #[classify(internal, crate = ::a)] B }",
                "belongs on the enum",
            ),
            (
                "enum A { #[classify] B }",
                "in parentheses: `#[classify(internal)]`",
            ),
            ("enum A { #[classify(source)] B }", "no inner error"),
            (
                "enum A { #[classify(source)] B(X, Y) }",
                "which field of `B`",
            ),
            (
                "enum A { #[classify(source)] B(#[source] X, #[from] Y) }",
                "which field of `B`",
            ),
            (
                "#[classify(source)] enum A { B, C(X) }",
                "`B` has no inner error",
            ),
            (
                "#[classify(internal)] struct A(#[classify(source)] X);",
                "not on its field",
            ),
        ] {
            let (_, mistakes) = read(item);
            assert_eq!(mistakes.len(), 1, "{item}: {mistakes:?}");
            assert!(mistakes[0].contains(part), "{item}: {}", mistakes[0]);
        }
    }

    #[test]
    fn all_mistakes_are_found_in_one_go() {
        let (_, mistakes) = read(
            "enum A { B, #[classify(oom)] C, #[classify(source)] D, #[classify(+)] E, #[classify(internal)] F }",
        );
        assert_eq!(mistakes.len(), 4, "{mistakes:?}");
    }
}
