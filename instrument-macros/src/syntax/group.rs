//! `group = "readiness"`, or a list of groups.

use crate::syntax::spelling;
use proc_macro2::Span;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Error, Expr, ExprLit, ExprPath, Lit, LitStr, Result, Token, bracketed, token};

/// What a group is called in an attribute and in the runtime.
const GROUPS: [(&str, &str); 3] = [
    ("readiness", "Readiness"),
    ("liveness", "Liveness"),
    ("startup", "Startup"),
];

/// What a check is for: at least one group, each once.
pub(crate) struct Groups(Vec<&'static str>);

impl Groups {
    pub(crate) fn parse(input: ParseStream<'_>) -> Result<Self> {
        if !input.peek(token::Bracket) {
            let (_, variant) = group(&input.parse()?)?;
            return Ok(Self(vec![variant]));
        }
        let content;
        let brackets = bracketed!(content in input);
        let mut mistakes: Option<Error> = None;
        let mut wrong = |mistake: Error| match &mut mistakes {
            Some(all) => all.combine(mistake),
            None => mistakes = Some(mistake),
        };
        let mut groups = Vec::new();
        let given = Punctuated::<Expr, Token![,]>::parse_terminated(&content)?;
        if given.is_empty() {
            let text = format!("a check belongs to at least one group: {}", list());
            wrong(Error::new(brackets.span.join(), text));
        }
        for given in &given {
            match group(given) {
                Ok((span, variant)) if groups.contains(&variant) => {
                    let text = format!("`{}` is given twice", variant.to_lowercase());
                    wrong(Error::new(span, text));
                }
                Ok((_, variant)) => groups.push(variant),
                Err(mistake) => wrong(mistake),
            }
        }
        mistakes.map_or(Ok(Self(groups)), Err)
    }

    /// The runtime's names, in the order in which they were given.
    pub(crate) fn variants(&self) -> &[&'static str] {
        &self.0
    }

    pub(crate) fn liveness(&self) -> bool {
        self.0.contains(&"Liveness")
    }
}

/// One group: its place, and the runtime's name of it.
fn group(given: &Expr) -> Result<(Span, &'static str)> {
    match given {
        Expr::Group(inner) => group(&inner.expr),
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Ok((text.span(), named(text)?)),
        Expr::Path(ExprPath { path, .. }) if path.get_ident().is_some() => {
            let word = path.segments[0].ident.to_string();
            Err(Error::new_spanned(
                path,
                format!("a group is a string: `\"{word}\"`"),
            ))
        }
        other => Err(Error::new_spanned(
            other,
            format!("expected a group or a list of groups: {}", list()),
        )),
    }
}

fn named(text: &LitStr) -> Result<&'static str> {
    let name = text.value();
    if let Some((_, variant)) = GROUPS.iter().find(|(group, _)| *group == name) {
        return Ok(variant);
    }
    // What the endpoints and their users call them.
    let near = match name.as_str() {
        "ready" | "readyz" => Some("readiness"),
        "live" | "livez" => Some("liveness"),
        "startupz" | "started" => Some("startup"),
        _ => spelling::nearest(&name, &GROUPS.map(|(group, _)| group)),
    };
    let hint = match near {
        Some(near) => format!("did you mean `\"{near}\"`?"),
        None => format!("expected {}", list()),
    };
    Err(Error::new(
        text.span(),
        format!("unknown group `{name}`: {hint}"),
    ))
}

fn list() -> String {
    GROUPS.map(|(group, _)| format!("`\"{group}\"`")).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse::Parser;

    fn read(text: &str) -> std::result::Result<Vec<&'static str>, String> {
        let tokens: proc_macro2::TokenStream = text.parse().expect("test input is made of tokens");
        Groups::parse
            .parse2(tokens)
            .map(|groups| groups.0)
            .map_err(|mistakes| {
                let texts = mistakes.into_iter().map(|mistake| mistake.to_string());
                texts.collect::<Vec<_>>().join("; ")
            })
    }

    #[test]
    fn one_group_or_several_are_read() {
        assert_eq!(read("\"liveness\"").as_deref(), Ok(&["Liveness"][..]));
        let both = read("[\"readiness\", \"startup\",]");
        assert_eq!(both.as_deref(), Ok(&["Readiness", "Startup"][..]));
    }

    #[test]
    fn mistakes_show_what_would_be_right() {
        for (text, part) in [
            ("\"readines\"", "did you mean `\"readiness\"`?"),
            ("\"livez\"", "did you mean `\"liveness\"`?"),
            (
                "\"gpu\"",
                "expected `\"readiness\"`, `\"liveness\"`, `\"startup\"`",
            ),
            ("readiness", "a group is a string: `\"readiness\"`"),
            ("3", "expected a group or a list"),
            ("[]", "at least one group"),
            ("[\"startup\", \"startup\"]", "`startup` is given twice"),
            (
                "[\"a\", startup]",
                "unknown group `a`: expected `\"readiness\"`, `\"liveness\"`, `\"startup\"`; a group is a string",
            ),
        ] {
            let said = read(text).expect_err(text);
            assert!(said.contains(part), "{text}: {said}");
        }
    }
}
