//! `#[inference_stage("NAME", …)]`

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
    let mut args = args::Args::read(attribute.clone(), &mut diagnostics);
    let paths = args.shared.paths();
    // rustc's own complaint about the name belongs beside ours.
    let checks = paths
        .as_ref()
        .map(|paths| expand::name_check(&args, paths))
        .unwrap_or_default();
    let Some(function) =
        PartialFn::read(&Place::measured("inference_stage"), item, &mut diagnostics)
    else {
        let mistakes = diagnostics.finish();
        let item = Some(item).filter(|item| !is_expression(item));
        return quote!(#item #mistakes);
    };
    let stage = model::Stage::check(args, paths.unwrap_or_default(), &function, &mut diagnostics);
    match (diagnostics.finish(), stage) {
        (None, Some(stage)) => expand::function(&stage, checks, &function),
        (mistakes, _) => {
            let used = function.mentioned(attribute);
            let function = function.unchanged(&quote!(#checks #used));
            quote!(#function #mistakes)
        }
    }
}
