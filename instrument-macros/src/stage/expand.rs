//! A checked stage as tokens.

use crate::body::arguments;
use crate::body::wrap::{Arguments, Verbs, Wrap, local};
use crate::paths::{CratePath, arguments_at, respan};
use crate::stage::args::Args;
use crate::stage::model::Stage;
use crate::syntax::partial_fn::PartialFn;
use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::LitStr;

const VERBS: Verbs = Verbs {
    enter: "enter",
    future: "Staged",
    sync: "run_sync",
    deferred: "run_deferred",
    never: "run_never",
    in_place: ("InPlace", "enter"),
    many: false,
};

/// With `batch = …`. The two that are not there are refused before.
const BATCH_VERBS: Verbs = Verbs {
    enter: "enter_batch",
    future: "StagedBatch",
    sync: "run_batch",
    deferred: "run_batch_deferred",
    never: "run_never",
    in_place: ("InPlace", "enter"),
    many: true,
};

/// The name, with the runtime's rules about names on it.
fn checked_name(
    name: &LitStr,
    is_custom: bool,
    must_execute: Option<Span>,
    paths: &CratePath,
) -> TokenStream {
    let rule = if is_custom {
        "custom_stage_name"
    } else {
        "stage_name"
    };
    let rule = paths.private_at(name.span(), rule);
    let argument = respan(quote!((#name)), name.span());
    let checked = quote!(#rule #argument);
    match must_execute {
        None => checked,
        Some(span) => {
            let rule = paths.private_at(span, "execution_name");
            let mut argument = Group::new(Delimiter::Parenthesis, checked);
            argument.set_span(span);
            quote!(#rule #argument)
        }
    }
}

/// The same alone, where there is no site to have a name.
pub(crate) fn name_check(args: &Args, paths: &CratePath) -> TokenStream {
    let Some(name) = &args.name else {
        return TokenStream::new();
    };
    let is_custom = args.custom.key().is_some();
    let checked = checked_name(name, is_custom, args.must_execute(), paths);
    quote_spanned!(Span::mixed_site()=> const _: &str = #checked;)
}

pub(crate) fn function(stage: &Stage, checks: TokenStream, function: &PartialFn) -> TokenStream {
    let span = Span::mixed_site();
    let settings = &stage.settings;
    let private = settings.paths.private();
    let name = &stage.name;
    let checked = checked_name(name, stage.is_custom, stage.must_execute, &settings.paths);
    // On the name: the runtime learns file and line from where this call stands.
    let stage_site = settings.paths.private_at(name.span(), "Site::stage");
    let module = settings.paths.private_at(name.span(), "core::module_path");
    let arguments = quote_spanned!(name.span()=> #checked, #module!());
    let arguments = arguments_at(name.span(), arguments);
    let options = settings.site_options(&private);
    let device = stage.is_execution.then(|| quote_spanned!(span=> .device()));
    let stall = stage
        .stall
        .map(|nanoseconds| quote_spanned!(span=> .stall(#nanoseconds)));
    let wrap = Wrap {
        function,
        verbs: if stage.batch.is_some() {
            &BATCH_VERBS
        } else {
            &VERBS
        },
        checks,
        site: quote!(#stage_site #arguments #options #device #stall),
        arguments: stage_arguments(stage, &private),
        expressions: arguments::checked(
            settings.labels.iter().map(|label| &label.value),
            &[
                ("model", &settings.model),
                ("members", &stage.batch),
                ("device", &stage.device),
            ],
            &settings.paths,
        ),
        error: settings.error.as_ref(),
        stream: settings.stream,
        private,
    };
    wrap.emit()
}

fn stage_arguments(stage: &Stage, private: &TokenStream) -> Arguments {
    let settings = &stage.settings;
    let none = quote_spanned!(Span::mixed_site()=> #private::StageArgs::NONE);
    let labels = arguments::labels(
        &settings.labels,
        stage.device.as_ref(),
        Some(&local("__site")),
        &settings.paths,
    );
    let model = settings
        .model
        .as_ref()
        .map(|slot| arguments::by_reference("model", slot));
    if let Some(batch) = &stage.batch {
        let members = arguments::asked("members", batch, &settings.paths);
        let span = Span::mixed_site();
        return Arguments::Listening {
            made: quote_spanned!(span=> #private::BatchArgs::new(#none #labels #model, #members)),
            otherwise: quote_spanned!(span=> #private::BatchArgs::NONE),
        };
    }
    if labels.is_empty() && settings.model.is_none() {
        return Arguments::Fixed(none);
    }
    Arguments::Listening {
        made: quote!(#none #labels #model),
        otherwise: none,
    }
}
