//! The item under a derive, in the parts that derives read.

use crate::diag::Diagnostics;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, Fields, Generics, Ident, Item, MacroDelimiter, Meta, Variant};

/// A struct, enum or union.
pub(crate) struct Derived {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) data: Data,
}

/// What kind of item it is, with the span of its keyword where a message may have to point at it.
pub(crate) enum Data {
    Enum(Vec<Variant>),
    Struct(Span, Fields),
    Union(Span),
}

impl Derived {
    /// `None` when it can't be read, which is then reported.
    pub(crate) fn read(item: TokenStream, diagnostics: &mut Diagnostics) -> Option<Self> {
        match syn::parse2(item) {
            Ok(Item::Enum(item)) => Some(Self {
                attributes: item.attrs,
                name: item.ident,
                generics: item.generics,
                data: Data::Enum(item.variants.into_iter().collect()),
            }),
            Ok(Item::Struct(item)) => Some(Self {
                attributes: item.attrs,
                name: item.ident,
                generics: item.generics,
                data: Data::Struct(item.struct_token.span, item.fields),
            }),
            Ok(Item::Union(item)) => Some(Self {
                attributes: item.attrs,
                name: item.ident,
                generics: item.generics,
                data: Data::Union(item.union_token.span),
            }),
            Ok(_) => None,
            Err(mistake) => {
                diagnostics.push(mistake);
                None
            }
        }
    }

    /// `impl TRAIT for NAME { BODY }`, with the item's generics.
    pub(crate) fn implement(&self, implemented: &TokenStream, body: &TokenStream) -> TokenStream {
        let name = &self.name;
        let (parameters, arguments, bounds) = self.generics.split_for_impl();
        quote! {
            #[automatically_derived]
            impl #parameters #implemented for #name #arguments #bounds {
                #body
            }
        }
    }
}

/// What stands in the parentheses of each `#[NAME(…)]`. `example` is what a right one looks like.
pub(crate) fn arguments(
    name: &str,
    example: &str,
    attributes: &[Attribute],
    diagnostics: &mut Diagnostics,
) -> Vec<(Span, TokenStream)> {
    let mut found = Vec::new();
    for attribute in attributes {
        let Some(word) = attribute.path().get_ident().filter(|word| *word == name) else {
            continue;
        };
        match &attribute.meta {
            Meta::List(list)
                if matches!(list.delimiter, MacroDelimiter::Paren(_))
                    && !list.tokens.is_empty() =>
            {
                found.push((word.span(), list.tokens.clone()));
            }
            _ => diagnostics.at(
                word.span(),
                format!("`{name}` takes its value in parentheses: `#[{example}]`"),
            ),
        }
    }
    found
}
