//! Moves the parameters into the measured body and keeps the order in which they are dropped: each name is bound once
//! more at the top of the body, as rustc does for an `async fn`. `mut` moves along.
//!
//! Left outside, and dropped after the body: `_`, what a pattern does not bind, and what only the attribute uses.

use crate::paths::generated;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::{FieldPat, FnArg, Ident, Pat, PatIdent, ReceiverKind, Signature, Type};

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
    };
    for input in &mut sig.inputs {
        match input {
            FnArg::Receiver(this) => {
                let borrowed = match &this.kind {
                    ReceiverKind::Reference(..) => true,
                    ReceiverKind::Typed(_, declared) => matches!(**declared, Type::Reference(_)),
                    _ => false,
                };
                // `self` can't be bound again. Mentioned whole, it is captured whole and not field by field.
                if !borrowed {
                    let this = &this.self_token;
                    receiver = quote_spanned!(span=> let _ = &#this;);
                }
            }
            // An attribute there may be a `cfg`, or a lint level that must stay with its binding.
            FnArg::Typed(input) if !input.attrs.is_empty() => {}
            FnArg::Typed(input) => {
                let reference = matches!(*input.ty, Type::Reference(_));
                // Dropping a reference does nothing.
                if !(reference
                    && matches!(&*input.pat, Pat::Ident(name) if name.mutability.is_none()))
                {
                    names.collect(&mut input.pat);
                }
            }
        }
    }
    let Names { inner, outer, .. } = names;
    // A tuple, because `let a = a;` looks redundant to clippy. Its parts drop in reverse, like parameters.
    let names = if inner.is_empty() {
        TokenStream::new()
    } else {
        quote_spanned!(span=> let (#(#inner,)*) = (#(#outer,)*);)
    };
    Rebound {
        sig,
        statements: quote!(#receiver #names),
    }
}

struct Names<'a> {
    attribute: &'a TokenStream,
    body: &'a TokenStream,
    inner: Vec<TokenStream>,
    outer: Vec<Ident>,
}

impl Names<'_> {
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
            // Or-patterns, macros and what `syn` does not know stay as they are: the body captures what it uses.
            _ => {}
        }
    }

    fn field(&mut self, field: &mut FieldPat) {
        let shorthand = field.colon_token.is_none();
        match &mut *field.pat {
            // The name is the field's as well and can't become another.
            Pat::Ident(name) if shorthand && unused(&name.ident) => {}
            pattern => self.collect(pattern),
        }
    }

    fn name(&mut self, name: &mut PatIdent) {
        let user = name.ident.clone();
        if mentions(self.attribute, &user) {
            if unused(&user) || !mentions(self.body, &user) {
                // Bound again, it would be a variable that nothing uses.
                return;
            }
        } else if !user.to_string().starts_with("__") {
            // Reading `_x` and shadowing `x` are lints: outside, the parameter gets a name that only the macro can read.
            // Not `__x`: that could be one of the expansion's own.
            name.ident.set_span(generated(user.span()));
        }
        let mutability = if name.by_ref.is_none() {
            name.mutability.take()
        } else {
            None
        };
        self.inner.push(quote!(#mutability #user));
        self.outer.push(name.ident.clone());
        if let Some((_, inner)) = &mut name.subpat {
            self.collect(inner);
        }
    }
}

/// `_x`, but not `__x`: that is no lint.
fn unused(name: &Ident) -> bool {
    let name = name.to_string();
    name.starts_with('_') && !name.starts_with("__")
}

fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn run(sig: &str) -> (String, String) {
        let sig = syn::parse_str(sig).expect("test input is a signature");
        let rebound = rebind(&sig, &quote!(x.y(_used, only)), &quote!({ a + b }));
        (
            rebound.sig.inputs.to_token_stream().to_string(),
            rebound.statements.to_string(),
        )
    }

    #[test]
    fn every_bound_name_is_bound_again() {
        let (outer, statements) =
            run("fn f(a: A, (mut b, c): (A, A), W { d, e: mut g, .. }: W, _: A)");
        assert_eq!(
            outer,
            "a : A , (b , c) : (A , A) , W { d , e : g , .. } : W , _ : A"
        );
        assert_eq!(
            statements,
            "let (a , mut b , c , d , mut g ,) = (a , b , c , d , g ,) ;"
        );
    }

    #[test]
    fn references_stay_where_they_are() {
        assert_eq!(run("fn f(&self, a: &A, b: &mut B)").1, "");
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
    fn parameters_with_attributes_or_used_by_the_attribute_stay() {
        assert_eq!(run("fn f(#[cfg(any())] mut a: A, _used: B, only: C)").1, "");
    }
}
