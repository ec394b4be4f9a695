//! Moves the parameters into the measured body and keeps the order in which they are dropped: each name is bound once
//! more at the top of the body, as rustc does for an `async fn`. `mut` moves along, and so does a whole pattern that
//! leaves something unbound.
//!
//! Left outside, and dropped after the body: parameters with attributes of their own, and what such a pattern leaves
//! unbound where the attribute needs its names.

use crate::paths::generated;
use crate::syntax::partial_fn::words;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{FieldPat, FnArg, Ident, Pat, PatIdent, ReceiverKind, Signature, Token, Type};

/// A signature and the statements that go with it.
pub(crate) struct Rebound {
    pub(crate) sig: Signature,
    pub(crate) statements: TokenStream,
}

/// `attribute` and `body` are what may use the names.
pub(crate) fn rebind(sig: &Signature, attribute: &TokenStream, body: &TokenStream) -> Rebound {
    let span = Span::mixed_site();
    let mut sig = sig.clone();
    let mut receiver = TokenStream::new();
    let mut names = Names {
        attribute,
        body,
        inner: Vec::new(),
        outer: Vec::new(),
        spelled: spelled(&sig),
        statements: TokenStream::new(),
    };
    // Whether something before is dropped inside: then what is left outside is dropped too late.
    let mut preceded = false;
    for (index, input) in sig.inputs.iter_mut().enumerate() {
        match input {
            FnArg::Receiver(this) => {
                let borrowed = match &this.kind {
                    ReceiverKind::Reference(..) => true,
                    ReceiverKind::Typed(_, declared) => matches!(**declared, Type::Reference(_)),
                    _ => false,
                };
                // `self` can't be bound again. Mentioned whole, it is captured whole and not field by field.
                if !borrowed {
                    let cfg = this.attrs.iter().filter(|one| one.path().is_ident("cfg"));
                    let this = &this.self_token;
                    receiver = quote_spanned!(span=> #(#cfg)* let _ = &#this;);
                }
                preceded |= !borrowed;
            }
            // An attribute there may be a `cfg`, or a lint level that must stay with its binding.
            FnArg::Typed(input) if !input.attrs.is_empty() => {}
            FnArg::Typed(input) => {
                let dropped = needs_drop(&input.ty);
                let takes = names.takes(&input.pat);
                match &*input.pat {
                    // Dropping it does nothing.
                    Pat::Ident(name) if !dropped && is_plain(name) => {}
                    _ if takes == Takes::All => names.collect(&mut input.pat),
                    _ if takes == Takes::Some && !(dropped && preceded) => {
                        names.collect(&mut input.pat);
                    }
                    pattern if !dropped && !rebinds_mut(pattern) => {}
                    _ => names.whole(&mut input.pat, index),
                }
                preceded |= dropped;
            }
        }
    }
    names.flush();
    let statements = names.statements;
    Rebound {
        sig,
        statements: quote!(#receiver #statements),
    }
}

fn spelled(sig: &Signature) -> Vec<String> {
    let patterns = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => Some(input.pat.to_token_stream()),
        FnArg::Receiver(_) => None,
    });
    let words = words(patterns.collect()).into_iter();
    words.map(|word| word.unraw().to_string()).collect()
}

/// Whether a value of this type may do something when it is dropped.
fn needs_drop(declared: &Type) -> bool {
    const COPIED: [&str; 17] = [
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8",
        "u16", "u32", "u64", "u128", "usize",
    ];
    match declared {
        Type::Reference(_) | Type::Ptr(_) | Type::FnPtr(_) | Type::Never(_) => false,
        Type::Group(inner) => needs_drop(&inner.elem),
        Type::Paren(inner) => needs_drop(&inner.elem),
        Type::Array(inner) => needs_drop(&inner.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(needs_drop),
        Type::Path(path) => !COPIED.iter().any(|copied| path.path.is_ident(copied)),
        _ => true,
    }
}

/// A name and nothing else.
fn is_plain(name: &PatIdent) -> bool {
    name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none()
}

/// Whether there is a `mut` to move along.
fn rebinds_mut(pattern: &Pat) -> bool {
    mentions(&pattern.to_token_stream(), "mut")
}

/// How much of its value a pattern takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Takes {
    All,
    Some,
    /// Or-patterns, macros and what `syn` does not know.
    Unknown,
}

struct Names<'a> {
    attribute: &'a TokenStream,
    body: &'a TokenStream,
    inner: Vec<TokenStream>,
    outer: Vec<Ident>,
    /// All words in the patterns.
    spelled: Vec<String>,
    statements: TokenStream,
}

impl Names<'_> {
    fn takes(&self, pattern: &Pat) -> Takes {
        fn most<'p>(names: &Names<'_>, parts: impl IntoIterator<Item = &'p Pat>) -> Takes {
            let parts = parts.into_iter().map(|part| names.takes(part));
            parts.max().unwrap_or(Takes::All)
        }
        match pattern {
            Pat::Ident(name) if name.by_ref.is_some() => Takes::Some,
            Pat::Ident(_) => Takes::All,
            Pat::Tuple(tuple) => most(self, &tuple.elems),
            Pat::TupleStruct(tuple) => most(self, &tuple.elems),
            Pat::Slice(slice) => most(self, &slice.elems),
            Pat::Struct(fields) if fields.rest.is_some() => Takes::Some,
            Pat::Struct(fields) => fields
                .fields
                .iter()
                .map(|field| self.takes_field(field))
                .max()
                .unwrap_or(Takes::All),
            Pat::Reference(inner) => self.takes(&inner.pat),
            Pat::Paren(inner) => self.takes(&inner.pat),
            Pat::Type(inner) => self.takes(&inner.pat),
            Pat::Wild(_) | Pat::Rest(_) | Pat::Lit(_) | Pat::Range(_) | Pat::Path(_) => Takes::Some,
            _ => Takes::Unknown,
        }
    }

    fn takes_field(&self, field: &FieldPat) -> Takes {
        if left_in_place(field) {
            Takes::Some
        } else {
            self.takes(&field.pat)
        }
    }

    /// Binds the pattern inside, to a parameter that only the macro can read.
    fn whole(&mut self, pattern: &mut Pat, index: usize) {
        if mentions_any(self.attribute, &pattern.to_token_stream()) {
            self.collect(pattern);
            return;
        }
        let name = Ident::new(&format!("__arg{index}"), Span::mixed_site());
        let user = std::mem::replace(
            pattern,
            Pat::Ident(PatIdent {
                attrs: Vec::new(),
                by_ref: None,
                mutability: None,
                ident: name.clone(),
                subpat: None,
            }),
        );
        // First as a whole: what the pattern leaves unbound is dropped with it, right after what it binds.
        let borrows = user.to_token_stream().to_string().contains("ref mut ");
        let mutability = borrows.then(|| Token![mut](Span::mixed_site()));
        self.inner.push(quote!(#mutability #name));
        self.outer.push(name.clone());
        if !matches!(user, Pat::Wild(_)) {
            self.flush();
            self.statements
                .extend(quote_spanned!(Span::mixed_site()=> let #user = #name;));
        }
    }

    fn flush(&mut self) {
        if self.inner.is_empty() {
            return;
        }
        let (inner, outer) = (self.inner.drain(..), self.outer.drain(..));
        // A tuple, because `let a = a;` looks redundant to clippy. Its parts drop in reverse, like parameters.
        self.statements
            .extend(quote_spanned!(Span::mixed_site()=> let (#(#inner,)*) = (#(#outer,)*);));
    }

    fn collect(&mut self, pattern: &mut Pat) {
        match pattern {
            Pat::Ident(name) => self.name(name),
            Pat::Tuple(tuple) => tuple.elems.iter_mut().for_each(|part| self.collect(part)),
            Pat::TupleStruct(tuple) => tuple.elems.iter_mut().for_each(|part| self.collect(part)),
            Pat::Struct(fields) => fields.fields.iter_mut().for_each(|field| self.field(field)),
            Pat::Slice(slice) => slice.elems.iter_mut().for_each(|part| self.collect(part)),
            Pat::Reference(inner) => self.collect(&mut inner.pat),
            Pat::Paren(inner) => self.collect(&mut inner.pat),
            Pat::Type(inner) => self.collect(&mut inner.pat),
            // The body captures what it uses.
            _ => {}
        }
    }

    fn field(&mut self, field: &mut FieldPat) {
        if !left_in_place(field) {
            self.collect(&mut field.pat);
        }
    }

    fn name(&mut self, name: &mut PatIdent) {
        let user = name.ident.clone();
        let mut inner = user.clone();
        let text = user.unraw().to_string();
        if !mentions(self.attribute, &text) {
            // Reading `_x` and shadowing `x` are lints: outside, the parameter gets a name that only the macro can
            // read. Not `__x`: that could be one of the expansion's own. Nor where there is a second `x`, from somebody
            // else's macro: the two are told apart by where they come from.
            let alone = self.spelled.iter().filter(|word| **word == text).count() == 1;
            if alone && !text.starts_with("__") {
                name.ident.set_span(generated(user.span()));
            }
        } else if unused(&user) {
            return;
        } else if !mentions(self.body, &text) {
            // Bound again under its own name, it would be a variable that nothing uses.
            if in_a_literal(self.body, &text) {
                return;
            }
            inner = Ident::new(&format!("__unused{}", self.inner.len()), Span::mixed_site());
        }
        let mutability = if name.by_ref.is_none() {
            name.mutability.take()
        } else {
            None
        };
        self.inner.push(quote!(#mutability #inner));
        self.outer.push(name.ident.clone());
        if let Some((_, inner)) = &mut name.subpat {
            self.collect(inner);
        }
    }
}

/// The name is the field's as well and can't become another.
fn left_in_place(field: &FieldPat) -> bool {
    let shorthand = field.colon_token.is_none();
    shorthand && matches!(&*field.pat, Pat::Ident(name) if unused(&name.ident))
}

/// `_x`, but not `__x`: that is no lint.
fn unused(name: &Ident) -> bool {
    let name = name.to_string();
    name.starts_with('_') && !name.starts_with("__")
}

fn mentions(tokens: &TokenStream, name: &str) -> bool {
    any(
        tokens,
        &|token| matches!(token, TokenTree::Ident(ident) if ident.unraw() == name),
    )
}

/// As `"{name}"` does.
fn in_a_literal(tokens: &TokenStream, name: &str) -> bool {
    any(
        tokens,
        &|token| matches!(token, TokenTree::Literal(literal) if literal.to_string().contains(name)),
    )
}

/// Whether `tokens` has one of the names in `pattern`.
fn mentions_any(tokens: &TokenStream, pattern: &TokenStream) -> bool {
    any(pattern, &|token| {
        matches!(token, TokenTree::Ident(ident) if !["_", "mut", "ref"].iter().any(|word| ident == word)
            && mentions(tokens, &ident.unraw().to_string()))
    })
}

fn any(tokens: &TokenStream, test: &dyn Fn(&TokenTree) -> bool) -> bool {
    tokens.clone().into_iter().any(|token| {
        test(&token) || matches!(&token, TokenTree::Group(group) if any(&group.stream(), test))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn run(sig: &str) -> (String, String) {
        let sig = syn::parse_str(sig).expect("test input is a signature");
        let rebound = rebind(
            &sig,
            &quote!(x.y(_used, only, text)),
            &quote!({ a + b + f("{text}") }),
        );
        (
            rebound.sig.inputs.to_token_stream().to_string(),
            rebound.statements.to_string(),
        )
    }

    #[test]
    fn every_bound_name_is_bound_again() {
        let (outer, statements) = run("fn f((mut b, c): (A, A), a: A, W { d, e: mut g }: W)");
        assert_eq!(outer, "(b , c) : (A , A) , a : A , W { d , e : g } : W");
        assert_eq!(
            statements,
            "let (mut b , c , a , d , mut g ,) = (b , c , a , d , g ,) ;"
        );
    }

    #[test]
    fn references_stay_where_they_are() {
        assert_eq!(run("fn f(&self, c: &A, d: &mut B)").1, "");
        assert_eq!(run("fn f(a: &A, _b: &A)").1, "");
        assert_eq!(
            run("fn f(mut a: &A)"),
            ("a : & A".to_owned(), "let (mut a ,) = (a ,) ;".to_owned())
        );
    }

    #[test]
    fn a_receiver_by_value_is_taken_whole() {
        assert_eq!(
            run("fn f(mut self)"),
            ("mut self".to_owned(), "let _ = & self ;".to_owned())
        );
        assert_eq!(run("fn f(self: Box<Self>)").1, "let _ = & self ;");
        assert_eq!(run("fn f(self: &Arc<Self>)").1, "");
    }

    #[test]
    fn what_dropping_does_nothing_to_stays_where_it_is() {
        assert_eq!(run("fn f(c: u8, d: [(f32, &B); 2], e: *const C)").1, "");
        assert_eq!(run("fn f(a: u8, _b: u8)").1, "");
        assert_eq!(run("fn f(mut a: u8)").1, "let (mut a ,) = (a ,) ;");
    }

    #[test]
    fn a_pattern_that_leaves_something_moves_where_others_are_dropped_before_it() {
        assert_eq!(
            run("fn f(_: A, b: B)"),
            ("_ : A , b : B".to_owned(), "let (b ,) = (b ,) ;".to_owned())
        );
        assert_eq!(
            run("fn f(a: A, _: B, (c, ..): C, d: D)"),
            (
                "a : A , __arg1 : B , __arg2 : C , d : D".to_owned(),
                "let (a , __arg1 , __arg2 ,) = (a , __arg1 , __arg2 ,) ; let (c , ..) = __arg2 ; let (d ,) = (d ,) ;"
                    .to_owned()
            )
        );
        assert_eq!(
            run("fn f(self, ref b: B)").1,
            "let _ = & self ; let (__arg1 ,) = (__arg1 ,) ; let ref b = __arg1 ;"
        );
        assert_eq!(
            run("fn f(self, ref mut b: B)").1,
            "let _ = & self ; let (mut __arg1 ,) = (__arg1 ,) ; let ref mut b = __arg1 ;"
        );
        assert_eq!(
            run("fn f((A(a) | B(a)): A)").1,
            "let (__arg0 ,) = (__arg0 ,) ; let (A (a) | B (a)) = __arg0 ;"
        );
    }

    #[test]
    fn what_only_the_attribute_uses_is_dropped_in_its_turn() {
        assert_eq!(
            run("fn f(only: A, b: B)").1,
            "let (__unused0 , b ,) = (only , b ,) ;"
        );
        assert_eq!(run("fn f(_used: A, text: B)").1, "");
        assert_eq!(
            run("fn f(a: A, W { only, .. }: B)").0,
            "a : A , W { only , .. } : B"
        );
    }

    #[test]
    fn parameters_with_attributes_stay() {
        assert_eq!(run("fn f(#[cfg(any())] mut a: A)").1, "");
        assert_eq!(
            run("fn f(#[cfg(any())] #[allow(unused)] self)").1,
            "# [cfg (any ())] let _ = & self ;"
        );
    }
}
