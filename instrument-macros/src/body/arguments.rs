//! The user's expressions, by reference, in the place where the runtime takes them.

use crate::paths::CratePath;
use crate::syntax::labels::Label;
use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Ident, Lit, LitStr};

/// `label(&expr)`, on the expression: its type is what may be wrong.
pub(crate) fn label(value: &Expr, paths: &CratePath) -> TokenStream {
    let span = value.span();
    let label = paths.private_at(span, "label");
    let value = match text(value) {
        Some(text) => {
            let literal = paths.private_at(span, "Literal");
            quote_spanned!(span=> &#literal(#text))
        }
        None => borrowed(value),
    };
    quote_spanned!(span=> #label(#value))
}

/// The text of a string literal, also of one that came through a `macro_rules!` as `$text:literal`.
pub(crate) fn text(value: &Expr) -> Option<&LitStr> {
    match value {
        Expr::Group(group) => text(&group.expr),
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text),
        _ => None,
    }
}

/// `question(&expr)`, on the expression: its type is what may be wrong.
pub(crate) fn asked(question: &str, value: &Expr, paths: &CratePath) -> TokenStream {
    let span = value.span();
    let question = paths.private_at(span, question);
    let value = borrowed(value);
    quote_spanned!(span=> #question(#value))
}

/// `.labels(site, &[label(&a), …, device(&b)])`; the site only where the receiver does not know it.
pub(crate) fn labels(
    labels: &[Label],
    device: Option<&Expr>,
    site: Option<&Ident>,
    paths: &CratePath,
) -> TokenStream {
    if labels.is_empty() && device.is_none() {
        return TokenStream::new();
    }
    let span = Span::mixed_site();
    let values = labels.iter().map(|one| label(&one.value, paths));
    let values = values.chain(device.map(|device| asked("device", device, paths)));
    let site = site.map(|site| quote_spanned!(span=> #site,));
    quote_spanned!(span=> .labels(#site &[#(#values),*]))
}

/// `.name(&expr)`, on the expression.
pub(crate) fn by_reference(name: &str, value: &Expr) -> TokenStream {
    let span = value.span();
    let name = Ident::new(name, span);
    let value = borrowed(value);
    quote_spanned!(span=> .#name(#value))
}

/// The expressions for their types' sake only: what is wrong with one is wrong with and without recording, and an
/// argument that only the attribute uses is used.
pub(crate) fn checked<'a>(
    labels: impl Iterator<Item = &'a Expr>,
    others: &[(&str, &Option<Expr>)],
    paths: &CratePath,
) -> TokenStream {
    let labels = labels.map(|value| label(value, paths));
    let others = others
        .iter()
        .filter_map(|(question, value)| Some(asked(question, value.as_ref()?, paths)));
    let all = labels.chain(others);
    quote_spanned!(Span::mixed_site()=> #(let _ = #all;)*)
}

/// `&expr`, and `expr` where the user already wrote the `&`.
fn borrowed(value: &Expr) -> TokenStream {
    if matches!(value, Expr::Reference(reference) if reference.mutability.is_none()) {
        return value.to_token_stream();
    }
    let ampersand = quote_spanned!(value.span()=> &);
    // Without parentheses where they are not needed: rustc underlines them too.
    let tight = matches!(
        value,
        Expr::Array(_)
            | Expr::Await(_)
            | Expr::Block(_)
            | Expr::Call(_)
            | Expr::Field(_)
            | Expr::Group(_)
            | Expr::If(_)
            | Expr::Index(_)
            | Expr::Lit(_)
            | Expr::Macro(_)
            | Expr::Match(_)
            | Expr::MethodCall(_)
            | Expr::Paren(_)
            | Expr::Path(_)
            | Expr::Struct(_)
            | Expr::Tuple(_)
            | Expr::Unary(_)
    );
    if tight {
        return quote!(#ampersand #value);
    }
    let mut parentheses = Group::new(Delimiter::Parenthesis, value.to_token_stream());
    parentheses.set_span(value.span());
    quote!(#ampersand #parentheses)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emitted(text: &str) -> String {
        let value = syn::parse_str(text).expect("test input is an expression");
        label(&value, &CratePath::default())
            .to_string()
            .replace(' ', "")
            .replace("::instrument_inference::__private", "P")
    }

    #[test]
    fn values_are_borrowed_and_literals_wrapped() {
        assert_eq!(emitted("a.b"), "P::label(&a.b)");
        assert_eq!(emitted("&a"), "P::label(&a)");
        assert_eq!(emitted("a == b"), "P::label(&(a==b))");
        assert_eq!(emitted("\"x\""), "P::label(&P::Literal(\"x\"))");
        assert_eq!(emitted("3"), "P::label(&3)");
    }
}
