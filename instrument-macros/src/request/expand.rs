//! A checked request as tokens.

use crate::body::arguments;
use crate::body::wrap::{Arguments, Verbs, Wrap, local};
use crate::paths::arguments_at;
use crate::request::model::Request;
use crate::syntax::partial_fn::PartialFn;
use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

const VERBS: Verbs = Verbs {
    enter: "open",
    future: "Requested",
    sync: "request_sync",
    deferred: "request_deferred",
    never: "request_never",
    in_place: ("InPlaceRequest", "open"),
    many: false,
};

pub(crate) fn function(request: &Request, function: &PartialFn) -> TokenStream {
    let span = Span::mixed_site();
    let settings = &request.settings;
    let private = settings.paths.private();
    let ident = &function.sig.ident;
    let mut name = Literal::string(&ident.unraw().to_string());
    name.set_span(ident.span());
    // On the function's name: the runtime learns file and line from where this call stands.
    let request_site = settings.paths.private_at(ident.span(), "Site::request");
    let module = settings.paths.private_at(ident.span(), "core::module_path");
    let arguments = quote_spanned!(ident.span()=> #name, #module!());
    let arguments = arguments_at(ident.span(), arguments);
    let options = settings.site_options(&private);
    // A literal is known before the first request: its series can exist at 0.
    let ingress = request.ingress.as_ref().and_then(arguments::text);
    let varies = (request.ingress.is_some() && ingress.is_none()) || request.tier.is_some();
    let varies = varies.then(|| quote_spanned!(span=> .varies()));
    let ingress = ingress.map(|text| quote_spanned!(span=> .ingress(#text)));
    let root = request.root.then(|| quote_spanned!(span=> .root()));
    let wrap = Wrap {
        function,
        verbs: &VERBS,
        checks: TokenStream::new(),
        site: quote!(#request_site #arguments #options #ingress #varies #root),
        arguments: opening(request, &private),
        expressions: arguments::checked(
            settings
                .labels
                .iter()
                .map(|label| &label.value)
                .chain(&request.ingress)
                .chain(&request.tier)
                .chain(&request.tenant),
            &[("model", &settings.model), ("route", &request.route)],
            &settings.paths,
        ),
        error: settings.error.as_ref(),
        stream: settings.stream,
        private,
    };
    wrap.emit()
}

fn opening(request: &Request, private: &TokenStream) -> Arguments {
    let span = Span::mixed_site();
    let settings = &request.settings;
    let site = local("__site");
    let new = quote_spanned!(span=> #private::Opening::new(#site));
    let way_in = [
        ("ingress", &request.ingress),
        ("tier", &request.tier),
        ("tenant", &request.tenant),
    ]
    .map(|(name, value)| {
        value.as_ref().map(|value| {
            let (name, label) = (local(name), arguments::label(value, &settings.paths));
            quote_spanned!(span=> .#name(#label))
        })
    });
    let route = request.route.as_ref().map(|value| {
        let (name, route) = (
            local("route"),
            arguments::asked("route", value, &settings.paths),
        );
        quote_spanned!(span=> .#name(#route))
    });
    let model = settings
        .model
        .as_ref()
        .map(|slot| arguments::by_reference("model", slot));
    let labels = arguments::labels(&settings.labels, None, None, &settings.paths);
    let given = quote!(#(#way_in)* #route #model #labels);
    if given.is_empty() {
        return Arguments::Fixed(new);
    }
    Arguments::Listening {
        made: quote!(#new #given),
        otherwise: new,
    }
}
