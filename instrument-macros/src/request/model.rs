//! The attribute as checked: only this can be expanded.

use crate::diag::Diagnostics;
use crate::request::args::Args;
use crate::syntax::keys::Settings;
use crate::syntax::partial_fn::{PartialFn, words};
use quote::ToTokens;
use syn::{Expr, Ident};

/// A request.
pub(crate) struct Request {
    pub(crate) ingress: Option<Expr>,
    pub(crate) tier: Option<Expr>,
    pub(crate) tenant: Option<Expr>,
    pub(crate) route: Option<Expr>,
    pub(crate) root: bool,
    pub(crate) settings: Settings,
}

impl Request {
    /// Applies the rules across keys and function.
    pub(crate) fn check(
        mut args: Args,
        function: &PartialFn,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        function.check("inference_request", diagnostics);
        if let Some(word) = args
            .ingress
            .peek()
            .and_then(|value| without_quotes(value, function))
        {
            let text = format!("the way in is a text: `ingress = \"{word}\"`");
            diagnostics.at(word.span(), text);
        }
        let paths = args.shared.paths().unwrap_or_default();
        Self {
            ingress: args.ingress.take(),
            tier: args.tier.take(),
            tenant: args.tenant.take(),
            route: args.route.take(),
            root: args.root.take().is_some(),
            settings: args.shared.check(paths, function, diagnostics),
        }
    }
}

/// The protocol that `ingress = …` names as if it were a variable, where no argument is called so.
fn without_quotes<'a>(value: &'a Expr, function: &PartialFn) -> Option<&'a Ident> {
    let Expr::Path(path) = value else {
        return None;
    };
    let word = path.path.get_ident()?;
    let is_protocol = word == "http" || word == "grpc";
    let inputs = function.sig.inputs.to_token_stream();
    (is_protocol && !words(inputs).contains(word)).then_some(word)
}
