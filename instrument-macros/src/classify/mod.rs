//! `#[derive(Classify)]`

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
    let mut args = args::Args::read(&item.attributes, &mut diagnostics);
    let paths = std::mem::take(&mut args.krate).or_default();
    let answers = model::answers(&item, args, &mut diagnostics);
    let mistakes = diagnostics.finish();
    let Some(paths) = paths else {
        return mistakes.unwrap_or_default();
    };
    match mistakes {
        None => expand::classified(&item, &answers, &paths),
        mistakes => {
            let nothing = expand::nothing(&item, &paths);
            quote!(#nothing #mistakes)
        }
    }
}
