//! The attribute as checked: only this can be expanded.

use crate::diag::Diagnostics;
use crate::paths::CratePath;
use crate::stage::args::Args;
use crate::syntax::keys::{Settings, SharedKeys};
use crate::syntax::partial_fn::PartialFn;
use crate::syntax::returns::Shape;
use proc_macro2::Span;
use syn::{Expr, LitStr};

/// A stage. Its name's grammar is rustc's to check, by the runtime's rule.
pub(crate) struct Stage {
    pub(crate) name: LitStr,
    /// `custom`: no typing error for a well-known name.
    pub(crate) is_custom: bool,
    /// `device`, or `device = …`.
    pub(crate) is_execution: bool,
    pub(crate) device: Option<Expr>,
    pub(crate) batch: Option<Expr>,
    /// Nanoseconds.
    pub(crate) stall: Option<u64>,
    /// Where `stall` stands, which asks for an execution, unless `device` says that it is one.
    pub(crate) must_execute: Option<Span>,
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
        if let Some(key) = args.batch.key() {
            refuse_batch(key, &args.shared, function, diagnostics);
        }
        let must_execute = args.must_execute();
        let settings = args.shared.check(paths, function, diagnostics);
        Some(Self {
            name: args.name?,
            is_custom: args.custom.key().is_some(),
            is_execution: args.device.key().is_some(),
            device: args.device.take().flatten(),
            batch: args.batch.take(),
            stall: args.stall.take(),
            must_execute,
            settings,
        })
    }
}

/// Where the members of a batch could not be told how they ended.
fn refuse_batch(
    key: Span,
    shared: &SharedKeys,
    function: &PartialFn,
    diagnostics: &mut Diagnostics,
) {
    if shared.says_errors() {
        diagnostics.at(
            key,
            "`batch` asks each answer what it is, so `error` has no place: implement `Classify` for the error",
        );
    }
    if matches!(function.returns().shape, Shape::Never) {
        diagnostics.at(key, "a function that never returns never answers a batch");
    }
    if let Some(stream) = shared.stream() {
        diagnostics.at(
            stream,
            "a batch answers each of its members, a stream belongs to one: take `stream` or `batch` off",
        );
    }
    if function.has("track_caller") {
        diagnostics.at(
            key,
            "`batch` does not work under `#[track_caller]`: take one of the two off",
        );
    }
}
