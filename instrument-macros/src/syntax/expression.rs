//! An expression of the user's inside an attribute. It is evaluated before the clock starts, and only while somebody
//! listens: so it must neither leave the function nor wait.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::{Error, Expr, Result};

/// Reads an expression that stays in its place.
pub(crate) fn parse(input: ParseStream<'_>) -> Result<Expr> {
    let value: Expr = input.parse()?;
    match leaves(value.to_token_stream()) {
        None => Ok(value),
        Some((span, what)) => Err(Error::new(
            span,
            format!(
                "`{what}` has no place in an attribute: what stands here is read before the function runs, and \
                 must neither end it nor wait"
            ),
        )),
    }
}

/// The first token that would leave the function or wait, and its name. Closures and `async` blocks are other bodies.
fn leaves(tokens: TokenStream) -> Option<(Span, &'static str)> {
    let mut tokens = tokens.into_iter().peekable();
    let mut before: Option<TokenTree> = None;
    while let Some(token) = tokens.next() {
        let found = match &token {
            TokenTree::Ident(word) if word == "return" => Some((word.span(), "return")),
            TokenTree::Ident(word) if word == "await" && is(before.as_ref(), '.') => {
                Some((word.span(), ".await"))
            }
            TokenTree::Ident(word) if word == "async" => return None,
            TokenTree::Punct(mark) if mark.as_char() == '?' => Some((mark.span(), "?")),
            TokenTree::Punct(mark) if mark.as_char() == '|' && opens(before.as_ref()) => {
                // A closure: what follows up to the next comma is its own.
                while tokens.next_if(|token| !is(Some(token), ',')).is_some() {}
                None
            }
            TokenTree::Group(group) => leaves(group.stream()),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        before = Some(token);
    }
    None
}

fn is(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

/// Whether an expression begins behind `before`: there, `|` opens a closure; elsewhere it is an operator.
fn opens(before: Option<&TokenTree>) -> bool {
    match before {
        None => true,
        Some(TokenTree::Punct(mark)) => mark.as_char() != '?',
        Some(TokenTree::Ident(word)) => word == "move",
        Some(TokenTree::Group(_) | TokenTree::Literal(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse::Parser;

    #[test]
    fn what_leaves_or_waits_is_refused() {
        for (text, what) in [
            ("kind?", "`?`"),
            ("f(kind?).is_some()", "`?`"),
            ("kind().await", "`.await`"),
            ("if a { return } else { b }", "`return`"),
            ("a | b?", "`?`"),
            ("f(|x| x?, b?)", "`?`"),
        ] {
            let said = parse.parse_str(text).err().map(|said| said.to_string());
            let said = said.expect(text);
            assert!(said.starts_with(what), "{text}: {said}");
        }
    }

    #[test]
    fn other_bodies_are_their_own() {
        for text in [
            "list.iter().any(|x| x.get()? > 1)",
            "f(move || { return 1 })",
            "g(async { x.await? })",
            "a | b",
            "a || b",
            "returned.awaited",
        ] {
            assert!(parse.parse_str(text).is_ok(), "{text}");
        }
    }
}
