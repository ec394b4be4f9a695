//! What raw body tokens say about how a function ends.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;

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

/// A body that ends in an `async` block and leaves nowhere else.
pub(crate) struct AsyncTail {
    pub(crate) head: TokenStream,
    pub(crate) future: TokenStream,
    pub(crate) braces: Span,
}

impl AsyncTail {
    pub(crate) fn find(body: TokenStream) -> Option<Self> {
        let tokens: Vec<TokenTree> = body.into_iter().collect();
        let (head, braces) = match tokens.as_slice() {
            [
                head @ ..,
                TokenTree::Ident(word),
                TokenTree::Ident(last),
                block,
            ] if word == "async" && last == "move" => (head, block),
            [head @ .., TokenTree::Ident(word), block] if word == "async" => (head, block),
            _ => return None,
        };
        // Behind anything else it is a part of an expression.
        let alone = head
            .last()
            .is_none_or(|last| is_semicolon(last) || is_block(last));
        if !alone || !is_block(braces) || head.iter().any(is_return) {
            return None;
        }
        Some(Self {
            head: head.iter().cloned().collect(),
            future: tokens[head.len()..].iter().cloned().collect(),
            braces: braces.span(),
        })
    }
}

/// The body with `statement` before the closure that it ends in; `None` where it may leave elsewhere.
pub(crate) fn before_closure(body: TokenStream, statement: TokenStream) -> Option<TokenStream> {
    let mut head: Vec<TokenTree> = body.into_iter().collect();
    let tail = head.split_off(
        head.iter()
            .rposition(is_semicolon)
            .map_or(0, |last| last + 1),
    );
    if early_exit(head.iter().cloned().collect()).is_some() {
        return None;
    }
    let tail = if starts_closure(&tail) {
        statement.into_iter().chain(tail).collect()
    } else {
        in_block(tail, statement)?
    };
    Some(head.into_iter().chain(tail).collect())
}

/// The same for a block, in parentheses or with a label.
fn in_block(mut tokens: Vec<TokenTree>, statement: TokenStream) -> Option<TokenStream> {
    let Some(TokenTree::Group(group)) = tokens.pop() else {
        return None;
    };
    let inside = match (group.delimiter(), tokens.as_slice()) {
        (Delimiter::Parenthesis, []) => in_block(group.stream().into_iter().collect(), statement)?,
        (Delimiter::Brace, []) => before_closure(group.stream(), statement)?,
        (
            Delimiter::Brace,
            [
                TokenTree::Punct(tick),
                TokenTree::Ident(_),
                TokenTree::Punct(colon),
            ],
        ) if tick.as_char() == '\'' && colon.as_char() == ':' => {
            before_closure(group.stream(), statement)?
        }
        _ => return None,
    };
    let mut new = Group::new(group.delimiter(), inside);
    new.set_span(group.span());
    Some(tokens.into_iter().chain([TokenTree::Group(new)]).collect())
}

fn starts_closure(tokens: &[TokenTree]) -> bool {
    let word = |token: &&TokenTree| matches!(token, TokenTree::Ident(word) if ["async", "move", "static"].iter().any(|known| word == known));
    let first = tokens.iter().find(|token| !word(token));
    matches!(first, Some(TokenTree::Punct(punct)) if punct.as_char() == '|')
}

fn is_block(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

fn is_semicolon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';')
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

/// Macros that are known to hold a `return`.
const LEAVING: [&str; 6] = [
    "bail",
    "ensure",
    "ensure_whatever",
    "throw",
    "try",
    "whatever",
];

/// The first `return` or `?` that would leave the function. What closures, `async` blocks and functions inside leave is
/// themselves.
pub(crate) fn early_exit(body: TokenStream) -> Option<Span> {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let (before, rest) = (&tokens[..at - 1], &tokens[at..]);
        match token {
            TokenTree::Ident(word) => match word.unraw().to_string().as_str() {
                "return" => return Some(word.span()),
                "async" | "fn" | "macro_rules" => at += to_the_braces(rest),
                name if LEAVING.contains(&name) && is_punct(rest.first(), '!') => {
                    return Some(word.span());
                }
                _ => {}
            },
            TokenTree::Punct(punct) => match punct.as_char() {
                // `T: ?Sized`
                '?' if !matches!(before.last(), Some(TokenTree::Punct(before)) if ":+".contains(before.as_char())) =>
                {
                    return Some(punct.span());
                }
                '|' if begins_an_expression(before) => at += to_its_end(rest),
                _ => {}
            },
            TokenTree::Group(group) => {
                if let Some(span) = early_exit(group.stream()) {
                    return Some(span);
                }
            }
            TokenTree::Literal(_) => {}
        }
    }
    None
}

/// How many tokens up to and with the next braces; none where a statement ends or a closure's arguments come before them.
fn to_the_braces(tokens: &[TokenTree]) -> usize {
    let end = tokens.iter().position(|token| {
        is_semicolon(token)
            || is_punct(Some(token), '|')
            || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
    });
    match end {
        Some(end) if matches!(tokens[end], TokenTree::Group(_)) => end + 1,
        _ => 0,
    }
}

/// How many tokens are left of an expression that takes all it can get.
fn to_its_end(tokens: &[TokenTree]) -> usize {
    // The arguments first: commas between them end nothing.
    let body = tokens
        .iter()
        .position(|token| is_punct(Some(token), '|'))
        .map_or(0, |bar| bar + 1);
    let end = tokens[body..]
        .iter()
        .position(|token| is_semicolon(token) || is_punct(Some(token), ','));
    end.map_or(tokens.len(), |end| body + end)
}

/// Whether a `|` here begins a closure: behind a value it is an operator or another pattern.
fn begins_an_expression(before: &[TokenTree]) -> bool {
    match before.last() {
        None => true,
        Some(TokenTree::Punct(punct)) => punct.as_char() != '?',
        Some(TokenTree::Ident(word)) => ["move", "async", "static", "return", "else", "in"]
            .iter()
            .any(|known| word == known),
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
        Some(TokenTree::Literal(_)) => false,
    }
}

fn is_punct(token: Option<&TokenTree>, expected: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == expected)
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
    fn an_async_block_at_the_end_is_found() {
        let found = |text| {
            AsyncTail::find(tokens(text))
                .map(|tail| (tail.head.to_string(), tail.future.to_string()))
        };
        let some = |head: &str, future: &str| Some((head.to_owned(), future.to_owned()));
        assert_eq!(found("async { x? }"), some("", "async { x ? }"));
        assert_eq!(
            found("let x = 1; async move { return x }"),
            some("let x = 1 ;", "async move { return x }")
        );
        for text in [
            "",
            "{ x }",
            "f(async { x })",
            "async { x };",
            "async { x }.boxed()",
            "move || async { x }",
            "if x { return y } async { x }",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn a_closure_at_the_end_is_found() {
        let found =
            |text| before_closure(tokens(text), tokens("here ;")).map(|body| body.to_string());
        for (text, expected) in [
            ("|x| x", "here ; | x | x"),
            (
                "let f = |y| { return y; }; move |x| f(x?)",
                "let f = | y | { return y ; } ; here ; move | x | f (x ?)",
            ),
            ("f(); || { a; b }", "f () ; here ; || { a ; b }"),
            ("a; 'b: { c; || d }", "a ; 'b : { c ; here ; || d }"),
            ("a; ({ c; || d })", "a ; ({ c ; here ; || d })"),
        ] {
            assert_eq!(found(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "f()",
            "a | b",
            "if a { return |x| x; } |x| x",
            "if a { |x| x } else { |x| x }",
            "f()?; |x| x",
            "|x| x;",
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
            "f(|x| x, y?)",
            "let f = |x| x; y?",
            "a | b(c?)",
            "match a { A | B => return c }",
            "async { 1 }; x?",
            "fn f() {} x?",
            "anyhow::bail!(x)",
            "ensure!(x, y)",
            "r#try!(x)",
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
            "f(|x, y| x?, 1)",
            "f(|| g()?)",
            "move |x| -> A { return x? }",
            "async move |x| { x? }",
            "fn f() -> A { return x? } f()",
            "fn f<T: ?Sized>(x: &T) {}",
            "macro_rules! m { ($($x:expr)?) => { return $x } }",
            "ensure(x)",
            "fn f<T: A>(x: T) -> Option<u8> where T: B { x? } f(a)",
            "impl A { fn f() { return } }",
        ] {
            assert!(early_exit(tokens(text)).is_none(), "{text}");
        }
    }
}
