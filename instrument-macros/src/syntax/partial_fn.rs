//! A function whose signature is parsed and whose body stays raw tokens: a body that is half typed still reaches rustc,
//! which then reports it, and the editor keeps its completions.

use crate::diag::Diagnostics;
use crate::syntax::returns::{Returns, Shape};
use crate::syntax::tail::early_exit;
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::quote;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Result, Signature, Token, Visibility};

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

/// A function with a body.
pub(crate) struct PartialFn {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) defaultness: Option<Token![default]>,
    pub(crate) sig: Signature,
    /// `#![…]` at the top of the body: only the function's own block may carry them.
    pub(crate) inner_attributes: TokenStream,
    /// What follows them.
    pub(crate) body: TokenStream,
    /// The same in the user's braces, each of which has a place of its own.
    pub(crate) block: Group,
}

impl PartialFn {
    /// Reads `item`, and says what is wrong with it as a place for an attribute.
    pub(crate) fn read(
        place: &Place,
        item: &TokenStream,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        match (|input: ParseStream<'_>| Self::parse(place, input)).parse2(item.clone()) {
            Ok(function) => Some(function),
            Err(mistake) => {
                diagnostics.push(mistake);
                None
            }
        }
    }

    fn parse(place: &Place, input: ParseStream<'_>) -> Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility: Visibility = input.parse()?;
        let defaultness = if input.peek(Token![default]) && !input.peek2(Token![!]) {
            Some(input.parse()?)
        } else {
            None
        };
        if let Some(mistake) = not_a_function(place, input) {
            return Err(mistake);
        }
        let sig: Signature = input.parse()?;
        if let Some(semicolon) = input.parse::<Option<Token![;]>>()? {
            let name = &sig.ident;
            let Place {
                attribute,
                verb,
                embodied,
                ..
            } = place;
            return Err(Error::new(
                semicolon.span,
                format!(
                    "`{name}` has no body here, so there is nothing to {verb}: put `#[{attribute}]` on {embodied}"
                ),
            ));
        }
        let token: TokenTree = input.parse()?;
        let Some(block) = block(token.clone()) else {
            return Err(Error::new(token.span(), "expected the function's body"));
        };
        let (inner_attributes, body) = split_inner(block.stream());
        let block = if inner_attributes.is_empty() {
            block
        } else {
            braced(body.clone(), block.span())
        };
        Ok(Self {
            attributes,
            visibility,
            defaultness,
            sig,
            inner_attributes,
            body,
            block,
        })
    }

    /// Refuses what can't be wrapped by `attribute` (its name).
    pub(crate) fn check(&self, attribute: &str, diagnostics: &mut Diagnostics) {
        if let Some(token) = &self.sig.constness {
            let text = "a `const fn` may run at compile time, where there is no clock: take `const` away, or measure its caller";
            diagnostics.at(token.span, text);
        }
        if let Some(variadic) = &self.sig.variadic {
            let text = "a function with variadic arguments can't be wrapped: measure its caller";
            diagnostics.push(Error::new_spanned(variadic.dots, text));
        }
        let value = matches!(self.returns().shape, Shape::Value | Shape::Never);
        if value
            && self.sig.asyncness.is_none()
            && self.has("track_caller")
            && let Some(exit) = early_exit(self.body.clone())
        {
            let text = format!(
                "under `#[track_caller]` the body stays in place, where `#[{attribute}]` can't see it leave early: move the body into a helper without `#[track_caller]`, or take one of the two attributes away"
            );
            diagnostics.at(exit, text);
        }
    }

    /// What its return type says.
    pub(crate) fn returns(&self) -> Returns {
        Returns::of(&self.sig.output)
    }

    /// Whether one of its attributes is `name`.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.attributes
            .iter()
            .any(|attribute| attribute.path().is_ident(name))
    }

    /// The function with `block` in the place of its body; `sig` may differ in its patterns.
    pub(crate) fn emit(&self, sig: &Signature, block: &TokenStream) -> TokenStream {
        let Self {
            attributes,
            visibility,
            defaultness,
            inner_attributes,
            ..
        } = self;
        let body = braced(quote!(#inner_attributes #block), self.block.span());
        quote!(#(#attributes)* #visibility #defaultness #sig #body)
    }

    /// The function as it was, with `checks` at the top of its body: an `impl` block takes no `const _` of its own.
    pub(crate) fn unchanged(&self, checks: &TokenStream) -> TokenStream {
        let body = &self.body;
        self.emit(&self.sig, &quote!(#checks #body))
    }
}

/// The message for an item that is no function, on the token that says so.
fn not_a_function(place: &Place, input: ParseStream<'_>) -> Option<Error> {
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
    let span = if ahead.is_empty() {
        input.span()
    } else {
        ahead.span()
    };
    let whole = |what: &str| {
        format!("{rule}: put `#[{attribute}(…)]` on {inside}, not on the whole {what}")
    };
    let text = if is(&ahead, "fn") {
        return None;
    } else if is(&ahead, "impl") {
        whole("`impl` block")
    } else if is(&ahead, "trait") {
        whole("trait")
    } else if is(&ahead, "mod") {
        whole("module")
    } else {
        format!("`#[{attribute}]` {does} a function: expected `fn`")
    };
    Some(Error::new(span, text))
}

fn is(input: ParseStream<'_>, word: &str) -> bool {
    input
        .cursor()
        .ident()
        .is_some_and(|(ident, _)| ident == word)
}

/// The braces of a body. `$body:block` of a `macro_rules!` arrives in an invisible group.
fn block(token: TokenTree) -> Option<Group> {
    let TokenTree::Group(group) = token else {
        return None;
    };
    match group.delimiter() {
        Delimiter::Brace => Some(group),
        Delimiter::None => {
            let mut inside = group.stream().into_iter();
            let only = inside.next().filter(|_| inside.next().is_none())?;
            block(only)
        }
        _ => None,
    }
}

/// Tokens between braces at `span`.
pub(crate) fn braced(tokens: TokenStream, span: Span) -> Group {
    let mut block = Group::new(Delimiter::Brace, tokens);
    block.set_span(span);
    block
}

fn split_inner(body: TokenStream) -> (TokenStream, TokenStream) {
    let mut tokens: Vec<TokenTree> = body.into_iter().collect();
    let mut end = 0;
    while let [
        TokenTree::Punct(hash),
        TokenTree::Punct(bang),
        TokenTree::Group(group),
        ..,
    ] = &tokens[end..]
    {
        if hash.as_char() != '#' || bang.as_char() != '!' || group.delimiter() != Delimiter::Bracket
        {
            break;
        }
        end += 3;
    }
    let rest = tokens.split_off(end);
    (tokens.into_iter().collect(), rest.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(item: &str) -> (Option<PartialFn>, Vec<String>) {
        let mut diagnostics = Diagnostics::new();
        let item: TokenStream = item.parse().expect("test input is made of tokens");
        let function =
            PartialFn::read(&Place::measured("inference_stage"), &item, &mut diagnostics);
        if let Some(function) = &function {
            function.check("inference_stage", &mut diagnostics);
        }
        (function, diagnostics.texts())
    }

    #[test]
    fn a_body_that_does_not_parse_is_kept() {
        let (function, mistakes) = read("fn f(x: u8) { let y = x. ; match }");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        assert_eq!(
            function
                .map(|function| function.body.to_string())
                .as_deref(),
            Some("let y = x . ; match")
        );
    }

    #[test]
    fn inner_attributes_are_taken_off_the_body() {
        let (function, _) = read("fn f() { #![allow(unused)] #![deny(dead_code)] !x }");
        let function = function.expect("it parses");
        assert_eq!(
            function.inner_attributes.to_string(),
            "#! [allow (unused)] #! [deny (dead_code)]"
        );
        assert_eq!(function.body.to_string(), "! x");
    }

    #[test]
    fn what_is_no_function_is_told_so() {
        for (item, part) in [
            ("impl A { fn f() {} }", "whole `impl` block"),
            ("unsafe impl A for B {}", "whole `impl` block"),
            ("pub trait A { fn f(); }", "whole trait"),
            ("unsafe trait A {}", "whole trait"),
            ("mod a {}", "whole module"),
            ("pub struct A;", "expected `fn`"),
            ("const A: u8 = 1;", "expected `fn`"),
            ("extern \"C\" { fn f(); }", "expected `fn`"),
            ("macro_rules! a {}", "expected `fn`"),
            ("let x = 1;", "expected `fn`"),
            ("", "expected `fn`"),
            ("fn f(&self);", "`f` has no body here"),
            ("const fn f() {}", "no clock"),
            ("unsafe extern \"C\" fn f(n: u8, ...) {}", "variadic"),
            ("#[track_caller] fn f() -> A { g()? }", "leave early"),
        ] {
            let (_, mistakes) = read(item);
            assert_eq!(mistakes.len(), 1, "{item}: {mistakes:?}");
            assert!(mistakes[0].contains(part), "{item}: {mistakes:?}");
        }
    }
}
