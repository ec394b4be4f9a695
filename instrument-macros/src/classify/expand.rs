//! A checked error as tokens.

use crate::classify::model::{Answer, Is};
use crate::paths::CratePath;
use crate::syntax::derived::Derived;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

pub(crate) fn classified(item: &Derived, answers: &[Answer], paths: &CratePath) -> TokenStream {
    let private = paths.private();
    let arms = answers.iter().map(|answer| arm(answer, &private));
    let body = quote_spanned! {Span::mixed_site()=>
        fn error_type(&self) -> #private::ErrorType {
            match *self {
                #(#arms)*
            }
        }
    };
    implement(item, &private, &body)
}

fn arm(answer: &Answer, private: &TokenStream) -> TokenStream {
    let span = Span::mixed_site();
    let variant = answer.variant.as_ref().map(|variant| {
        // As if written by the derive: nobody is warned of using a variant that is deprecated.
        let mut variant = variant.clone();
        variant.set_span(variant.span().resolved_at(span));
        quote_spanned!(span=> ::#variant)
    });
    match &answer.is {
        Is::Type(name) => {
            let name = Ident::new(name, span);
            quote_spanned!(span=> Self #variant { .. } => #private::ErrorType::#name,)
        }
        Is::Inner(field) => {
            quote_spanned!(span=> Self #variant { #field: ref __inner, .. } => #private::error_type_of!(__inner),)
        }
    }
}

/// An error of which nothing is known.
pub(crate) fn nothing(item: &Derived, paths: &CratePath) -> TokenStream {
    let private = paths.private();
    let body = quote_spanned! {Span::mixed_site()=>
        fn error_type(&self) -> #private::ErrorType {
            #private::ErrorType::Internal
        }
    };
    implement(item, &private, &body)
}

fn implement(item: &Derived, private: &TokenStream, body: &TokenStream) -> TokenStream {
    item.implement(&quote!(#private::Classify), body)
}
