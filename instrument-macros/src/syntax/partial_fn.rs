//! A function whose signature is parsed and whose body stays raw tokens: a body that is half typed still reaches rustc,
//! which then reports it, and the editor keeps its completions.

use crate::diag::Diagnostics;
use crate::syntax::no_function::{self, Place};
use crate::syntax::returns::{Returns, Shape};
use crate::syntax::tail::early_exit;
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, FnArg, Ident, Pat, PatType, Result, ReturnType, Signature, Token, Visibility,
};

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
        if let Some(mistake) = no_function::mistake(place, input) {
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
            // Without `self` it may stand in an `extern` block.
            let or = if sig.receiver().is_some() {
                ""
            } else {
                ", or on what calls it"
            };
            return Err(Error::new(
                semicolon.span,
                format!(
                    "`{name}` has no body here, so there is nothing to {verb}: put `#[{attribute}]` on {embodied}{or}"
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
        if let Some(word) = self.last_word(attribute) {
            let name = &self.sig.ident;
            let text = format!(
                "`{name}` has `#[{attribute}]` already, and would be measured twice: take one away"
            );
            diagnostics.at(word.span(), text);
        }
        if let Some(token) = &self.sig.constness {
            let text = "a `const fn` may run at compile time, where there is no clock: take `const` away, or measure its caller";
            diagnostics.at(token.span, text);
        }
        if let Some(variadic) = &self.sig.variadic {
            let text = "a function with variadic arguments can't be wrapped: measure its caller";
            diagnostics.push(Error::new_spanned(variadic.dots, text));
        }
        self.check_clones(attribute, diagnostics);
        if self.sig.asyncness.is_none()
            && self.has("track_caller")
            && let Some(exit) = early_exit(self.body.clone())
        {
            let text = format!(
                "under `#[track_caller]` the body stays in place, where `#[{attribute}]` can't see it leave early: move the body into a helper without `#[track_caller]`, or take one of the two attributes away"
            );
            diagnostics.at(exit, text);
        }
    }

    /// What is measured has one end, and copies would have several.
    fn check_clones(&self, attribute: &str, diagnostics: &mut Diagnostics) {
        let returns = self.returns();
        if let (Shape::Future(_), Some(clone)) = (&returns.shape, returns.cloned) {
            let text = format!(
                "a measured future ends once, so it can't be cloned: put `#[{attribute}]` on a function that makes the future, and call it here"
            );
            diagnostics.at(clone, text);
        }
    }

    /// What its return type says.
    pub(crate) fn returns(&self) -> Returns {
        Returns::of(&self.sig.output)
    }

    /// Where its return type stands, or its name where it has none.
    pub(crate) fn returned(&self) -> Span {
        match &self.sig.output {
            ReturnType::Type(_, declared) => declared.span(),
            ReturnType::Default => self.sig.ident.span(),
        }
    }

    /// Whether one of its attributes is `name`.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.attributes
            .iter()
            .any(|attribute| attribute.path().is_ident(name))
    }

    /// Whether an attribute below looks for the future that the function ends in, to run it in a span: in what is emitted,
    /// it must still see `Box::pin(async move { … })` there. So do `tracing::instrument` and `fastrace::trace`.
    pub(crate) fn is_traced(&self) -> bool {
        self.last_word("instrument").is_some() || self.last_word("trace").is_some()
    }

    /// The last word in the path of the first of its attributes that ends with `name`.
    fn last_word(&self, name: &str) -> Option<&Ident> {
        let mut words = self.attributes.iter().filter_map(|attribute| {
            let segments = &attribute.path().segments;
            segments.last().map(|segment| &segment.ident)
        });
        words.find(|word| *word == name)
    }

    /// Uses of those of its arguments that `attribute` mentions: what only a refused attribute uses is no mistake of
    /// its own.
    pub(crate) fn mentioned(&self, attribute: TokenStream) -> TokenStream {
        let words = words(attribute);
        let arguments = self.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(PatType { pat, .. }) => match &**pat {
                Pat::Ident(name) if words.contains(&name.ident) => Some(&name.ident),
                _ => None,
            },
            FnArg::Receiver(_) => None,
        });
        quote_spanned!(Span::mixed_site()=> #(let _ = &#arguments;)*)
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

/// All words in `tokens`.
pub(crate) fn words(tokens: TokenStream) -> Vec<Ident> {
    let each = |token| match token {
        TokenTree::Ident(word) => vec![word],
        TokenTree::Group(group) => words(group.stream()),
        _ => Vec::new(),
    };
    tokens.into_iter().flat_map(each).collect()
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
            ("extern \"C\" { fn f(); }", "foreign functions have no body"),
            (
                "unsafe extern \"C\" { fn f(); }",
                "foreign functions have no body",
            ),
            ("|x| x", "move the closure's body"),
            ("async move |x| x", "move the closure's body"),
            ("async { 1 }", "move the block"),
            ("{ 1 }", "move the block"),
            ("fn f();", "or on what calls it"),
            ("macro_rules! a {}", "expected `fn`"),
            ("let x = 1;", "expected `fn`"),
            ("", "expected `fn`"),
            ("fn f(&self);", "`f` has no body here"),
            ("const fn f() {}", "no clock"),
            ("unsafe extern \"C\" fn f(n: u8, ...) {}", "variadic"),
            ("#[track_caller] fn f() -> A { g()? }", "leave early"),
            ("#[a::inference_stage(\"b\")] fn f() {}", "measured twice"),
        ] {
            let (_, mistakes) = read(item);
            assert_eq!(mistakes.len(), 1, "{item}: {mistakes:?}");
            assert!(mistakes[0].contains(part), "{item}: {mistakes:?}");
        }
    }
}
