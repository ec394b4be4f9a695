//! The attribute as checked: only this can be expanded.

use crate::diag::Diagnostics;
use crate::request::args::Args;
use crate::syntax::keys::Settings;
use crate::syntax::partial_fn::PartialFn;
use syn::Expr;

/// A request.
pub(crate) struct Request {
    pub(crate) ingress: Option<Expr>,
    pub(crate) tier: Option<Expr>,
    pub(crate) tenant: Option<Expr>,
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
        let paths = args.shared.paths().unwrap_or_default();
        Self {
            ingress: args.ingress.take(),
            tier: args.tier.take(),
            tenant: args.tenant.take(),
            root: args.root.take().is_some(),
            settings: args.shared.check(paths, function, diagnostics),
        }
    }
}
