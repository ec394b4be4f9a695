//! `#[health_check(…)]`

mod args;
mod expand;
mod model;
#[cfg(any(feature = "health", test))]
mod named;
mod run;
mod timing;

use crate::diag::Diagnostics;
use crate::syntax::partial_fn::PartialFn;
use proc_macro2::TokenStream;
use quote::quote;

#[cfg(any(feature = "health", test))]
pub(crate) use named::named;

/// The function as it was, its check, and every mistake. Beside a mistake the check has what could be read: what names
/// it is no second mistake.
pub(crate) fn expand(attribute: TokenStream, item: &TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::new();
    let mut args = args::Args::read(attribute, &mut diagnostics);
    let paths = args.paths();
    let Some(function) = PartialFn::read(&run::PLACE, item, &mut diagnostics) else {
        let mistakes = diagnostics.finish();
        return quote!(#item #mistakes);
    };
    let run = run::Run::of(&function, &mut diagnostics);
    let check = model::Check::of(args, &function, &mut diagnostics);
    let check = paths
        .zip(run)
        .map(|(paths, run)| expand::check(&check, &run, &function, &paths));
    let mistakes = diagnostics.finish();
    quote!(#item #check #mistakes)
}
