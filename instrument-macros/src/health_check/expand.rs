//! A check as tokens, beside its function.

use crate::health_check::model::Check;
use crate::health_check::run::Run;
use crate::paths::{CratePath, arguments_at, generated, respan};
use crate::syntax::partial_fn::PartialFn;
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Visibility;
use syn::ext::IdentExt;

/// Without health nobody runs a check.
const HEALTH: bool = cfg!(feature = "health");

pub(crate) fn check(
    check: &Check,
    run: &Run,
    function: &PartialFn,
    paths: &CratePath,
) -> TokenStream {
    let span = Span::mixed_site();
    // The user's own uses are warned of, ours is none.
    let deprecated = function.has("deprecated").then(|| {
        let place = generated(function.sig.ident.span());
        quote_spanned!(place=> #[allow(deprecated)])
    });
    if !HEALTH {
        let name = &function.sig.ident;
        // A use of the function: else it would be dead code without health.
        return quote_spanned!(span=> #deprecated const _: () = { let _ = #name; };);
    }
    let private = paths.private();
    let visibility = visibility(&function.visibility);
    let spec = spec(check, run, function, paths);
    let static_name = Ident::new("__CHECK", span);
    // Beside the function and as visible, so that whoever can name the function can name its check; shown where the
    // function's name is when that can't be.
    let place = generated(function.sig.ident.span());
    let hidden = hidden(&function.sig.ident, place);
    quote_spanned! {place=>
        #[doc(hidden)]
        #visibility enum #hidden {}
        #deprecated
        impl #hidden {
            // Who can't name the type is told so once.
            pub const __SPEC: &'static #private::CheckSpec = {
                #[#private::linkme::distributed_slice(#private::CHECKS)]
                #[linkme(crate = #private::linkme)]
                static #static_name: #private::CheckSpec = #spec;
                &#static_name
            };
        }
    }
}

/// What a function's check is called, for `check!`. Not as the function: people call a check what it checks, so a crate
/// may be called that, or a module.
pub(crate) fn hidden(function: &Ident, span: Span) -> Ident {
    Ident::new(&format!("__check_{}", function.unraw()), span)
}

fn spec(check: &Check, run: &Run, function: &PartialFn, paths: &CratePath) -> TokenStream {
    let span = Span::mixed_site();
    let private = paths.private();
    // On the function's name: the runtime learns file and line from where this call stands.
    let place = function.sig.ident.span();
    let new = paths.private_at(place, "CheckSpec::new");
    let (name, run) = (&check.name, self::run(run, function, paths));
    let arguments = quote_spanned!(span=> #name, #private::core::module_path!(), #run);
    let arguments = arguments_at(place, arguments);
    let groups = check.groups.as_ref().map(|groups| {
        let variants = groups
            .variants()
            .iter()
            .map(|variant| Ident::new(variant, span));
        quote_spanned!(span=> .groups(&[#(#private::Group::#variants),*]))
    });
    let hard = check.hard.map(|hard| {
        let hard = Ident::new(if hard { "hard" } else { "soft" }, span);
        quote_spanned!(span=> .#hard())
    });
    let remote = check.remote.then(|| quote_spanned!(span=> .remote()));
    let reason = check
        .reason
        .as_ref()
        .map(|reason| quote_spanned!(span=> .reason(#reason)));
    let model = check
        .model
        .as_ref()
        .map(|model| quote_spanned!(span=> .model(#model)));
    let timing = timing(check, &private);
    quote!(#new #arguments #groups #hard #remote #reason #model #timing)
}

fn timing(check: &Check, private: &TokenStream) -> Option<TokenStream> {
    let span = Span::mixed_site();
    let fields = check.timing.iter().map(|(field, value)| {
        let (field, value) = (Ident::new(field, span), Literal::u64_unsuffixed(*value));
        quote_spanned!(span=> .#field(#value))
    });
    let given = !check.timing.is_empty();
    given.then(|| quote_spanned!(span=> .timing(#private::Timing::NONE #(#fields)*)))
}

/// How the runtime calls the function. What the function returns is asked where its type is written; a future that
/// may not leave its thread is told of where the function's name is.
fn run(run: &Run, function: &PartialFn, paths: &CratePath) -> TokenStream {
    let span = Span::mixed_site();
    let private = paths.private();
    let (name, provided) = (&function.sig.ident, Ident::new("__state", span));
    let place = generated(name.span());
    let (first, last) = answer(function);
    let (function, report) = (
        relocated(name, first),
        paths.private_at(generated(first), "report"),
    );
    let given = run.state.as_ref().map(|_| {
        let provided = if run.asynchronous {
            quote_spanned!(span=> &*#provided)
        } else {
            provided.to_token_stream()
        };
        quote_spanned!(span=> #private::state(#provided))
    });
    let answer = quote_spanned!(generated(last)=> (#given));
    let kind = match &run.state {
        None => TokenStream::new(),
        Some(state) => quote_spanned!(span=> #private::StateType::of::<#state>(),),
    };
    let with = if run.state.is_some() { "With" } else { "" };
    if !run.asynchronous {
        let variant = Ident::new(&format!("Sync{with}"), span);
        let call = parenthesized(quote!(#function #answer), span);
        let provided = run.state.as_ref().map(|_| &provided);
        return quote_spanned!(span=> #private::CheckRun::#variant(#kind |#provided| #report #call));
    }
    let variant = Ident::new(&format!("Async{with}"), span);
    let awaited = respan(quote!(.await), generated(last));
    let call = parenthesized(quote!(#function #answer #awaited), span);
    let pin = paths.private_at(place, "Box::pin");
    let boxed = parenthesized(quote_spanned!(place=> async move { #report #call }), place);
    let provided = run.state.as_ref().map(|_| &provided);
    quote_spanned!(span=> #private::CheckRun::#variant(#kind |#provided| #pin #boxed))
}

/// The first and the last token of the return type, else the function's name.
fn answer(function: &PartialFn) -> (Span, Span) {
    let syn::ReturnType::Type(_, returned) = &function.sig.output else {
        let name = function.sig.ident.span();
        return (name, name);
    };
    let spans: Vec<_> = returned
        .to_token_stream()
        .into_iter()
        .map(|token| token.span())
        .collect();
    match spans.as_slice() {
        [first, .., last] => (*first, *last),
        [only] => (*only, *only),
        [] => (function.sig.ident.span(), function.sig.ident.span()),
    }
}

/// The function's name as if it were written at `place`.
fn relocated(name: &Ident, place: Span) -> Ident {
    let mut name = name.clone();
    name.set_span(generated(place));
    name
}

fn parenthesized(tokens: TokenStream, span: Span) -> TokenTree {
    let mut group = Group::new(Delimiter::Parenthesis, tokens);
    group.set_span(span);
    group.into()
}

/// The function's own. That `pub` is not reachable is said of the function already.
fn visibility(given: &Visibility) -> TokenStream {
    match given {
        Visibility::Public(token) => quote_spanned!(generated(token.span)=> pub),
        other => other.to_token_stream(),
    }
}
