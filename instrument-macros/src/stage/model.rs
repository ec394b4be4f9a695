//! The attribute as checked: only this can be expanded.

use crate::diag::Diagnostics;
use crate::paths::CratePath;
use crate::stage::args::Args;
use crate::syntax::keys::Settings;
use crate::syntax::partial_fn::PartialFn;
use syn::LitStr;

/// A stage. Its name's grammar is rustc's to check, by the runtime's rule.
pub(crate) struct Stage {
    pub(crate) name: LitStr,
    pub(crate) device: bool,
    pub(crate) settings: Settings,
}

impl Stage {
    /// Applies the rules across keys and function; `None` without a name.
    pub(crate) fn check(
        args: Args,
        paths: CratePath,
        function: &PartialFn,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        function.check("inference_stage", diagnostics);
        if args.name.is_none() && !args.name_is_wrong {
            let name = &function.sig.ident;
            diagnostics.at(
                name.span(),
                format!("`{name}` has no stage name: `#[inference_stage(\"execute\")]`"),
            );
        }
        let settings = args.shared.check(paths, function, diagnostics);
        Some(Self {
            name: args.name?,
            device: args.device.take().is_some(),
            settings,
        })
    }
}
