//! What raw body tokens say about how a function ends.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};

/// A body that ends in `Box::pin(FUTURE)` and leaves nowhere else.
pub(crate) struct BoxedTail {
    /// Up to and with `Box::pin`.
    pub(crate) head: TokenStream,
    pub(crate) future: TokenStream,
    pub(crate) parentheses: Span,
}

impl BoxedTail {
    pub(crate) fn find(body: TokenStream) -> Option<Self> {
        let mut tokens: Vec<TokenTree> = body.into_iter().collect();
        let Some(TokenTree::Group(group)) = tokens.pop() else {
            return None;
        };
        let [
            head @ ..,
            TokenTree::Ident(boxed),
            TokenTree::Punct(one),
            TokenTree::Punct(two),
            TokenTree::Ident(pin),
        ] = tokens.as_slice()
        else {
            return None;
        };
        let named = boxed == "Box" && one.as_char() == ':' && two.as_char() == ':' && pin == "pin";
        if !named || group.delimiter() != Delimiter::Parenthesis || head.iter().any(is_return) {
            return None;
        }
        let future = only_argument(&group)?;
        Some(Self {
            head: tokens.into_iter().collect(),
            future,
            parentheses: group.span(),
        })
    }
}

/// The argument of a call with one argument; rustfmt may have put a comma behind it.
fn only_argument(parentheses: &Group) -> Option<TokenStream> {
    let mut tokens: Vec<TokenTree> = parentheses.stream().into_iter().collect();
    let comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    if tokens.last().is_some_and(comma) {
        tokens.pop();
    }
    let single = !tokens.is_empty() && !tokens.iter().any(comma);
    single.then(|| tokens.into_iter().collect())
}

fn is_return(token: &TokenTree) -> bool {
    match token {
        TokenTree::Ident(ident) => ident == "return",
        TokenTree::Group(group) => group.stream().into_iter().any(|token| is_return(&token)),
        _ => false,
    }
}

/// The first `return` or `?` that would leave the function. Braces of `async` blocks, closures and functions are other
/// bodies.
pub(crate) fn early_exit(body: TokenStream) -> Option<Span> {
    let mut other_body = false;
    let mut tokens = body.into_iter().peekable();
    // Between the name of a function inside and its braces.
    let mut signature = false;
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Ident(word) if word == "return" => return Some(word.span()),
            TokenTree::Punct(punct) if punct.as_char() == '?' => return Some(punct.span()),
            TokenTree::Group(group)
                if (other_body || signature) && group.delimiter() == Delimiter::Brace =>
            {
                signature = false;
            }
            TokenTree::Group(group) => {
                if let Some(span) = early_exit(group.stream()) {
                    return Some(span);
                }
            }
            _ => {}
        }
        let mut named = || matches!(tokens.peek(), Some(TokenTree::Ident(_)));
        signature |= matches!(&token, TokenTree::Ident(word) if word == "fn") && named();
        other_body = match &token {
            TokenTree::Ident(word) => word == "async" || (other_body && word == "move"),
            TokenTree::Punct(punct) => punct.as_char() == '|',
            _ => false,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> TokenStream {
        text.parse().expect("test input is made of tokens")
    }

    #[test]
    fn a_boxed_tail_is_found() {
        let found = |text| {
            BoxedTail::find(tokens(text))
                .map(|tail| (tail.head.to_string(), tail.future.to_string()))
        };
        let some = |head: &str, future: &str| Some((head.to_owned(), future.to_owned()));
        assert_eq!(
            found("let x = 1; Box::pin(async move { x },)"),
            some("let x = 1 ; Box :: pin", "async move { x }")
        );
        assert_eq!(
            found("::std::boxed::Box::pin(f)"),
            some(":: std :: boxed :: Box :: pin", "f")
        );
        for text in [
            "",
            "f()",
            "Box::pin()",
            "Box::pin(a, b)",
            "Box::pin(a);",
            "Box::new(a)",
            "if x { return y } Box::pin(a)",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn early_exits_are_seen_except_in_other_bodies() {
        for text in [
            "return 1;",
            "if a { return b; } c",
            "f(a?)",
            "{ { x? } }",
            "fn f() { 1 } { return 2 }",
            "let f: fn(u8) = g; if a { return b }",
        ] {
            assert!(early_exit(tokens(text)).is_some(), "{text}");
        }
        for text in [
            "a + b",
            "async { x? }",
            "async move { return 1 }",
            "|x| { return 1 }",
            "fn f<T: A>(x: T) -> Option<u8> where T: B { x? } f(a)",
            "impl A { fn f() { return } }",
        ] {
            assert!(early_exit(tokens(text)).is_none(), "{text}");
        }
    }
}
