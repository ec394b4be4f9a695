//! A checked enum as tokens.

use crate::label_value::model::Value;
use crate::paths::CratePath;
use crate::syntax::derived::Derived;
use proc_macro2::{Literal, Span, TokenStream};
use quote::quote_spanned;
use syn::Ident;

pub(crate) fn closed(item: &Derived, values: &[Value], paths: &CratePath) -> TokenStream {
    let span = Span::mixed_site();
    let count = Literal::usize_unsuffixed(values.len());
    // As if written by the derive: nobody is warned of using a variant that is deprecated.
    let variants: Vec<Ident> = values
        .iter()
        .map(|value| {
            let mut variant = value.variant.clone();
            variant.set_span(variant.span().resolved_at(span));
            variant
        })
        .collect();
    let indices = (0..values.len()).map(Literal::usize_unsuffixed);
    let texts = values.iter().map(|value| &value.text);
    let private = paths.private();
    let body = quote_spanned! {span=>
        const CARDINALITY: #private::core::primitive::u32 = #count;
        #[inline]
        fn index(&self) -> #private::core::primitive::u32 {
            match *self {
                #(Self::#variants { .. } => #indices,)*
            }
        }
        #[inline]
        fn value(&self) -> #private::core::option::Option<&#private::core::primitive::str> {
            #private::Some(match *self {
                #(Self::#variants { .. } => #texts,)*
            })
        }
    };
    implement(item, paths, &body)
}

/// A label that is never there.
pub(crate) fn nothing(item: &Derived, paths: &CratePath) -> TokenStream {
    let private = paths.private();
    let body = quote_spanned! {Span::mixed_site()=>
        const CARDINALITY: #private::core::primitive::u32 = 1;
        fn index(&self) -> #private::core::primitive::u32 {
            0
        }
        fn value(&self) -> #private::core::option::Option<&#private::core::primitive::str> {
            #private::None
        }
    };
    implement(item, paths, &body)
}

fn implement(item: &Derived, paths: &CratePath, body: &TokenStream) -> TokenStream {
    let private = paths.private();
    item.implement(
        &quote_spanned!(Span::mixed_site()=> #private::LabelValue),
        body,
    )
}
