//! `#[inference_request(…)]`

mod args;
mod expand;
mod model;

use crate::diag::Diagnostics;
use crate::syntax::partial_fn::{PartialFn, Place};
use proc_macro2::TokenStream;
use quote::quote;

/// The measured function; on any mistake the function as it was, and every mistake.
pub(crate) fn expand(attribute: TokenStream, item: &TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::new();
    let args = args::Args::read(attribute, &mut diagnostics);
    let Some(function) = PartialFn::read(
        &Place::measured("inference_request"),
        item,
        &mut diagnostics,
    ) else {
        let mistakes = diagnostics.finish();
        return quote!(#item #mistakes);
    };
    let request = model::Request::check(args, &function, &mut diagnostics);
    match diagnostics.finish() {
        None => expand::function(&request, &function),
        mistakes => {
            let function = function.unchanged(&TokenStream::new());
            quote!(#function #mistakes)
        }
    }
}
