//! The keys that stages and requests share: raw as [`SharedKeys`], checked as [`Settings`].

use crate::diag::Diagnostics;
use crate::paths::CratePath;
use crate::syntax::args::Once;
use crate::syntax::buckets::Buckets;
use crate::syntax::duration;
use crate::syntax::expression;
use crate::syntax::labels::{self, Label};
use crate::syntax::partial_fn::PartialFn;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::ParseStream;
use syn::{Error, Expr, Ident, LitFloat, Path, Result, Token, token};

/// As written.
#[derive(Default)]
pub(crate) struct SharedKeys {
    labels: Once<Vec<Label>>,
    model: Once<Expr>,
    buckets: Once<Buckets>,
    objective: Once<u64>,
    stream: Once<()>,
    error: Once<Path>,
    no_span: Once<()>,
    krate: Once<CratePath>,
}

/// What the two macros can rely on.
pub(crate) struct Settings {
    pub(crate) labels: Vec<Label>,
    pub(crate) model: Option<Expr>,
    pub(crate) buckets: Option<Buckets>,
    /// Nanoseconds.
    pub(crate) objective: Option<u64>,
    /// The result is a stream, and the end of the stream is the end.
    pub(crate) stream: bool,
    /// `fn(&E) -> ErrorType`
    pub(crate) error: Option<Path>,
    pub(crate) no_span: bool,
    pub(crate) paths: CratePath,
}

impl SharedKeys {
    /// Takes the value of `key`; false when the key is none of these.
    pub(crate) fn key(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<bool> {
        match key.to_string().as_str() {
            "labels" => self.labels.entry(key, diagnostics, |diagnostics| {
                labels::parse(key, input, diagnostics)
            }),
            "model" => self
                .model
                .value(key, "model = &self.slot", input, diagnostics, model),
            "buckets" => self.buckets.value(
                key,
                "buckets = [0.005, 0.01, 0.05]",
                input,
                diagnostics,
                Buckets::parse,
            ),
            "objective" => {
                self.objective
                    .value(key, "objective = \"50ms\"", input, diagnostics, objective)
            }
            "stream" => self.stream.flag(key, input, diagnostics),
            "error" => self.error.value(
                key,
                "error = path::to::function",
                input,
                diagnostics,
                function,
            ),
            "no_span" => self.no_span.flag(key, input, diagnostics),
            "crate" => self.krate.value(
                key,
                "crate = ::instrument_inference",
                input,
                diagnostics,
                CratePath::parse,
            ),
            _ => return Ok(false),
        }?;
        Ok(true)
    }

    /// Whether `error = …` is given.
    pub(crate) fn says_errors(&self) -> bool {
        self.error.key().is_some()
    }

    /// Where `stream` stands, when it is given.
    pub(crate) fn stream(&self) -> Option<Span> {
        self.stream.key()
    }

    /// The path to the runtime, unless the attribute gives one that can't be used.
    pub(crate) fn paths(&mut self) -> Option<CratePath> {
        std::mem::take(&mut self.krate).or_default()
    }

    /// Applies the rules across keys and function.
    pub(crate) fn check(
        self,
        paths: CratePath,
        function: &PartialFn,
        diagnostics: &mut Diagnostics,
    ) -> Settings {
        if let (Some(key), true) = (self.error.key(), function.returns().never_fails()) {
            let name = &function.sig.ident;
            diagnostics.at(
                key,
                format!("`error` says what an error is, but `{name}` does not return a `Result`"),
            );
        }
        if let Some(key) = self.stream.key() {
            check_stream(key, function, diagnostics);
        }
        Settings {
            labels: self.labels.take().unwrap_or_default(),
            model: self.model.take(),
            buckets: self.buckets.take(),
            objective: self.objective.take(),
            stream: self.stream.take().is_some(),
            error: self.error.take(),
            no_span: self.no_span.take().is_some(),
            paths,
        }
    }
}

/// The value of `model`. Its type is rustc's to check; a literal can be told here what it should be.
fn model(input: ParseStream<'_>) -> Result<Expr> {
    match expression::parse(input)? {
        Expr::Lit(literal) => Err(Error::new_spanned(
            literal,
            "a model is the slot that `telemetry.model(name, version)` hands out: `model = &self.slot`",
        )),
        model => Ok(model),
    }
}

/// The value of `objective`, in nanoseconds.
fn objective(input: ParseStream<'_>) -> Result<u64> {
    let start = input.span();
    let ratio = input.fork().parse::<LitFloat>();
    if ratio.is_ok_and(|ratio| ratio.base10_parse::<f64>().is_ok_and(|ratio| ratio < 1.0)) {
        let text = "an objective is a latency, not a ratio: `objective = \"50ms\"`";
        return Err(Error::new(start, text));
    }
    duration::parse(input)
}

/// The value of `error`.
fn function(input: ParseStream<'_>) -> Result<Path> {
    const EXPECTED: &str = "`error` takes the path of a function, `fn(&E) -> ErrorType`";
    let start = input.span();
    if input.peek(Token![<]) {
        return Err(Error::new(
            start,
            format!("{EXPECTED}; give a trait's function a name of its own"),
        ));
    }
    let Ok(path) = input.parse::<Path>() else {
        return Err(Error::new(
            start,
            format!("{EXPECTED}: `error = path::to::function`"),
        ));
    };
    if input.peek(token::Paren) {
        return Err(input.error(format!(
            "{EXPECTED}, and does not call it: leave the parentheses out"
        )));
    }
    if input.peek(Token![.]) || input.peek(Token![!]) {
        return Err(Error::new(
            start,
            format!("{EXPECTED}: `error = path::to::function`"),
        ));
    }
    Ok(path)
}

/// Where there can be no stream. Any other type is asked what it is.
fn check_stream(key: Span, function: &PartialFn, diagnostics: &mut Diagnostics) {
    if function.returns().never_fails() {
        let name = &function.sig.ident;
        diagnostics.at(
            key,
            format!("`stream` follows a stream to its end, but `{name}` does not return one"),
        );
    }
    if let Some(clone) = function.returns().cloned {
        diagnostics.at(
            clone,
            "a stream that is followed ends once, so it can't be cloned: take `stream` off, or put it on a function that makes the stream, and call it here",
        );
    }
    if function.has("track_caller") {
        diagnostics.at(
            key,
            "`stream` does not work under `#[track_caller]`: take one of the two off",
        );
    }
}

impl Settings {
    /// What the static says beside its name: `.buckets(…)….no_span()`.
    pub(crate) fn site_options(&self, private: &TokenStream) -> TokenStream {
        let span = Span::mixed_site();
        let buckets = self.buckets.as_ref().map(|buckets| buckets.emit(private));
        let buckets = buckets.map(|buckets| quote_spanned!(span=> .buckets(#buckets)));
        let objective = self
            .objective
            .map(|nanoseconds| quote_spanned!(span=> .objective(#nanoseconds)));
        let keys = self.labels.iter().map(|label| &label.key);
        let labels =
            (!self.labels.is_empty()).then(|| quote_spanned!(span=> .labels(&[#(#keys),*])));
        let names_model = self
            .model
            .is_some()
            .then(|| quote_spanned!(span=> .names_model()));
        let no_span = self.no_span.then(|| quote_spanned!(span=> .no_span()));
        quote!(#buckets #objective #labels #names_model #no_span)
    }
}
