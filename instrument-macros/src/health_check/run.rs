//! The function as checked: how the runtime calls it.

use crate::diag::Diagnostics;
use crate::syntax::no_function::Place;
use crate::syntax::partial_fn::PartialFn;
use crate::syntax::returns::Shape;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Error, FnArg, Safety, Type};

/// Where the attribute stands.
pub(crate) const PLACE: Place = Place {
    attribute: "health_check",
    does: "makes a check of",
    verb: "run",
    rule: "a check is one free function",
    inside: "a function",
    embodied: "a free function",
};

/// How the function is called.
pub(crate) struct Run {
    pub(crate) asynchronous: bool,
    /// The type of the state that it wants.
    pub(crate) state: Option<Type>,
}

impl Run {
    /// Reads how the function is called; `None` where it can't be.
    pub(crate) fn of(function: &PartialFn, diagnostics: &mut Diagnostics) -> Option<Self> {
        let sig = &function.sig;
        let mut fits = true;
        let mut refuse = |tokens: &dyn ToTokens, text: &str| {
            fits = false;
            diagnostics.push(Error::new_spanned(tokens.to_token_stream(), text));
        };
        let twice = |attribute: &&Attribute| {
            let last = attribute.path().segments.last();
            last.is_some_and(|last| last.ident == PLACE.attribute)
        };
        if let Some(second) = function.attributes.iter().find(twice) {
            refuse(
                second.path(),
                "one function is one check: for a second one write a second function",
            );
        }
        if let Some(token) = &sig.constness {
            refuse(
                token,
                "a check looks at what is true now, which a `const fn` can't: take `const` away",
            );
        }
        if let Safety::Unsafe(token) = &sig.safety {
            refuse(
                token,
                "a check is run by itself, where nobody can promise what an `unsafe fn` asks for: call it from a safe one",
            );
        }
        if let Some(abi) = &sig.abi {
            refuse(
                &abi.extern_token,
                "a check is run from Rust: take `extern` away",
            );
        }
        if let Some(parameter) = sig.generics.params.first() {
            refuse(
                parameter,
                "a check is one function, so it has no generics: name the types, and leave the lifetimes out",
            );
        }
        if let Some(variadic) = &sig.variadic {
            refuse(
                &variadic.dots,
                "a check has one argument at most, the state",
            );
        }
        if let Some(second) = sig.inputs.iter().nth(1) {
            refuse(
                second,
                "a check has one argument at most: put what it needs into one state, `&App`",
            );
        }
        match function.returns().shape {
            Shape::Never => refuse(&sig.output, "a check that never returns says nothing"),
            Shape::Future(_) | Shape::BoxedFuture(_) if sig.asyncness.is_none() => {
                refuse(
                    &sig.output,
                    "a check that waits is an `async fn`: write it so, with what the future gives as the return type",
                );
            }
            _ => {}
        }
        let state = sig.inputs.first().and_then(|argument| {
            state(argument)
                .inspect_err(|(tokens, text)| refuse(tokens, text))
                .ok()
        });
        fits.then(|| Self {
            asynchronous: sig.asyncness.is_some(),
            state,
        })
    }
}

/// `S` of an argument `&S`; else the tokens that are wrong, and why.
fn state(argument: &FnArg) -> Result<Type, (TokenStream, &'static str)> {
    let refused = |tokens: &dyn ToTokens, text| Err((tokens.to_token_stream(), text));
    let declared = match argument {
        FnArg::Receiver(receiver) => {
            return refused(
                &receiver.self_token,
                "a check is a free function, there is nothing to call a method on: take the state as `app: &App`",
            );
        }
        FnArg::Typed(argument) => ungrouped(&argument.ty),
    };
    let Type::Reference(reference) = declared else {
        return refused(
            declared,
            "a check borrows its state, which is kept for the next run: put a `&` before the type",
        );
    };
    if let Some(token) = &reference.mutability {
        return refused(token, "the state of a check is shared: take it as `&`");
    }
    if let Some(lifetime) = &reference.lifetime {
        return refused(
            lifetime,
            "a check borrows its state for one run: leave the lifetime out",
        );
    }
    if let Some(token) = hidden(reference.elem.to_token_stream()) {
        return refused(
            &token,
            "the state of a check has one type: name it in the place of `impl`",
        );
    }
    let state = ungrouped(&reference.elem);
    let unsized_text = matches!(state, Type::Path(path) if path.path.is_ident("str"));
    if unsized_text || matches!(state, Type::Slice(_) | Type::TraitObject(_)) {
        return refused(
            state,
            "the state of a check has a size: take it in an `Arc`, as `&Arc<…>`, or in a struct of yours",
        );
    }
    Ok(state.clone())
}

/// Out of the parentheses, and of the invisible ones of a `macro_rules!`.
fn ungrouped(declared: &Type) -> &Type {
    match declared {
        Type::Group(inner) => ungrouped(&inner.elem),
        Type::Paren(inner) => ungrouped(&inner.elem),
        _ => declared,
    }
}

/// The first `impl`.
fn hidden(tokens: TokenStream) -> Option<TokenTree> {
    tokens.into_iter().find_map(|token| match &token {
        TokenTree::Ident(word) if word == "impl" => Some(token),
        TokenTree::Group(group) => hidden(group.stream()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said about `item`.
    fn said(item: &str) -> Vec<String> {
        let item = item.parse().expect("test input is made of tokens");
        let mut diagnostics = Diagnostics::new();
        if let Some(function) = PartialFn::read(&PLACE, &item, &mut diagnostics) {
            Run::of(&function, &mut diagnostics);
        }
        diagnostics.texts()
    }

    #[test]
    fn functions_that_can_be_checks_are_taken() {
        for item in [
            "fn f() -> bool { true }",
            "pub async fn f(app: &App) -> Result<Health, E<'_>> { x }",
            "fn f(App { pool, .. }: &std::sync::Arc<App>) {}",
            "fn f(_: &(A, B)) {}",
            "fn r#type() {}",
        ] {
            assert_eq!(said(item), [""; 0], "{item}");
        }
    }

    #[test]
    fn functions_that_cannot_be_checks_are_told_why() {
        for (item, part) in [
            ("const fn f() {}", "take `const` away"),
            ("unsafe fn f() {}", "call it from a safe one"),
            ("extern \"C\" fn f() {}", "take `extern` away"),
            ("fn f<T>() {}", "no generics"),
            ("fn f<'a>(a: &S) {}", "leave the lifetimes out"),
            ("fn f(a: &S, b: &S) {}", "one argument at most"),
            ("fn f(&self) {}", "there is nothing to call a method on"),
            (
                "fn f(self: Arc<Self>) {}",
                "there is nothing to call a method on",
            ),
            ("fn f(a: Arc<S>) {}", "put a `&` before the type"),
            ("fn f(a: &mut S) {}", "is shared"),
            ("fn f(a: &'static S) {}", "leave the lifetime out"),
            ("fn f(a: &impl A) {}", "in the place of `impl`"),
            ("fn f(a: &[Box<impl A>]) {}", "in the place of `impl`"),
            ("fn f(a: &str) {}", "`&Arc<…>`"),
            ("fn f(a: &dyn A) {}", "`&Arc<…>`"),
            ("fn f(a: &(dyn A + Send)) {}", "`&Arc<…>`"),
            ("fn f() -> ! { loop {} }", "says nothing"),
            (
                "fn f() -> impl Future<Output = bool> { g() }",
                "an `async fn`",
            ),
            (
                "fn f();",
                "nothing to run: put `#[health_check]` on a free function",
            ),
            (
                "impl A { fn f() {} }",
                "one free function: put `#[health_check(…)]` on a function, not on the whole `impl` block",
            ),
            ("struct A;", "makes a check of a function: expected `fn`"),
        ] {
            let said = said(item);
            assert_eq!(said.len(), 1, "{item}: {said:?}");
            assert!(said[0].contains(part), "{item}: {said:?}");
        }
    }
}
