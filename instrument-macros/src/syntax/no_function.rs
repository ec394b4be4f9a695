//! What an attribute says on an item that is no function.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::{ParseBuffer, ParseStream};
use syn::{Error, Token, token};

/// An attribute and its words for what it cannot stand on.
pub(crate) struct Place {
    /// Its name.
    pub(crate) attribute: &'static str,
    /// `measures`, as in "measures a function".
    pub(crate) does: &'static str,
    /// `measure`, as in "nothing to measure".
    pub(crate) verb: &'static str,
    /// Why it does not stand on a block of functions: "one attribute per step".
    pub(crate) rule: &'static str,
    /// Where it stands instead: "each function inside".
    pub(crate) inside: &'static str,
    /// Where it stands instead of on a function without a body: "each implementation".
    pub(crate) embodied: &'static str,
}

impl Place {
    /// For what is measured.
    pub(crate) const fn measured(attribute: &'static str) -> Self {
        Self {
            attribute,
            does: "measures",
            verb: "measure",
            rule: "one attribute per step",
            inside: "each function inside",
            embodied: "each implementation",
        }
    }
}

/// Whether `item` is an expression: there, nothing may stand beside it.
pub(crate) fn is_expression(item: &TokenStream) -> bool {
    let words: Vec<TokenTree> = item.clone().into_iter().take(3).collect();
    let opens = |token: &TokenTree| match token {
        TokenTree::Punct(mark) => mark.as_char() == '|',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Ident(word) => word == "move",
        TokenTree::Literal(_) => false,
    };
    let is_async = matches!(words.first(), Some(TokenTree::Ident(word)) if word == "async");
    match words.as_slice() {
        // A block is a statement here as often as it is an expression.
        [TokenTree::Group(_), ..] => false,
        [first, ..] if opens(first) => true,
        [_, second, ..] if is_async => opens(second),
        _ => false,
    }
}

/// The message for an item that is no function, on the token that says so.
pub(crate) fn mistake(place: &Place, input: ParseStream<'_>) -> Option<Error> {
    let Place {
        attribute,
        does,
        rule,
        inside,
        ..
    } = place;
    let ahead = input.fork();
    // `const async unsafe extern "C"` in front of `fn`; other items share some of these words.
    while ["const", "async", "unsafe", "safe", "extern", "auto"]
        .iter()
        .any(|word| is(&ahead, word))
    {
        ahead.parse::<TokenTree>().ok()?;
        let _abi = ahead.parse::<Option<syn::LitStr>>();
    }
    let whole = |what: &str| {
        format!("{rule}: put `#[{attribute}(…)]` on {inside}, not on the whole {what}")
    };
    let first = input.span();
    let (span, text) = if is(&ahead, "fn") {
        return None;
    } else if is(&ahead, "impl") {
        (ahead.span(), whole("`impl` block"))
    } else if is(&ahead, "trait") {
        (ahead.span(), whole("trait"))
    } else if is(&ahead, "mod") {
        (ahead.span(), whole("module"))
    } else if ahead.peek(Token![|]) || is(&ahead, "move") {
        let text = format!(
            "`#[{attribute}]` {does} a function, which has a name: move the closure's body into a `fn`"
        );
        (first, text)
    } else if ahead.peek(token::Brace) {
        let what = if is(input, "extern") || is(input, "unsafe") && is(&second(input), "extern") {
            "foreign functions have no body"
        } else {
            "move the block into a `fn`"
        };
        (first, format!("`#[{attribute}]` {does} a function: {what}"))
    } else {
        (
            first,
            format!("`#[{attribute}]` {does} a function: expected `fn`"),
        )
    };
    Some(Error::new(span, text))
}

fn second(input: ParseStream<'_>) -> ParseBuffer<'_> {
    let ahead = input.fork();
    let _ = ahead.parse::<TokenTree>();
    ahead
}

fn is(input: ParseStream<'_>, word: &str) -> bool {
    input
        .cursor()
        .ident()
        .is_some_and(|(ident, _)| ident == word)
}
