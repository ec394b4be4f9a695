//! `#[derive(LabelValue)]`

mod args;
mod expand;
mod model;

use crate::diag::Diagnostics;
use crate::syntax::derived::Derived;
use proc_macro2::TokenStream;
use quote::quote;

/// The implementation; on any mistake every mistake, and an implementation that says nothing: where the type is used
/// is then no mistake of its own.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::new();
    let Some(item) = Derived::read(item, &mut diagnostics) else {
        return diagnostics.finish().unwrap_or_default();
    };
    let args = args::Args::read(&item.attributes, &mut diagnostics);
    let Some(paths) = args.krate.or_default() else {
        model::values(&item, &mut diagnostics);
        return diagnostics.finish().unwrap_or_default();
    };
    let values = model::values(&item, &mut diagnostics);
    match diagnostics.finish() {
        None => expand::closed(&item, &values, &paths),
        mistakes => {
            let nothing = expand::nothing(&item, &paths);
            quote!(#nothing #mistakes)
        }
    }
}
