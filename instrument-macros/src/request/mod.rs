//! `#[inference_request(…)]`

mod args;
mod expand;
mod model;

use crate::diag::Diagnostics;
use crate::syntax::no_function::{Place, is_expression};
use crate::syntax::partial_fn::PartialFn;
use proc_macro2::TokenStream;
use quote::quote;

/// The measured function; on any mistake the function as it was, and every mistake.
pub(crate) fn expand(attribute: TokenStream, item: &TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::new();
    let args = args::Args::read(attribute.clone(), &mut diagnostics);
    let Some(function) = PartialFn::read(
        &Place::measured("inference_request"),
        item,
        &mut diagnostics,
    ) else {
        let mistakes = diagnostics.finish();
        let item = Some(item).filter(|item| !is_expression(item));
        return quote!(#item #mistakes);
    };
    let request = model::Request::check(args, &function, &mut diagnostics);
    match diagnostics.finish() {
        None => expand::function(&request, &function),
        mistakes => {
            let function = function.unchanged(&function.mentioned(attribute));
            quote!(#function #mistakes)
        }
    }
}
