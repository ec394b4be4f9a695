//! The attribute and the function as checked: only this can be expanded.

use crate::diag::Diagnostics;
use crate::health_check::PLACE;
use crate::health_check::args::{Args, TimingArgs};
use crate::syntax::args::Once;
use crate::syntax::duration::{Given, show};
use crate::syntax::group::Groups;
use crate::syntax::identifier;
use crate::syntax::partial_fn::PartialFn;
use crate::syntax::returns::Shape;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::time::Duration;
use syn::ext::IdentExt;
use syn::{Attribute, Error, FnArg, LitStr, Safety, Type};

/// What the scheduler and an application's runtime may cost at worst before a result is called late.
const HEADROOM: Duration = Duration::from_millis(150);
/// A check that runs more often than this measures itself.
const SHORTEST_REFRESH: Duration = Duration::from_millis(100);
/// With the default `refresh`, 0.6 of it, which has to be the shortest at least.
const SHORTEST_CACHE: Duration = Duration::from_millis(167);
/// With the default `timeout`, a fifth of it, which leaves the headroom.
const SHORTEST_CACHE_ALONE: Duration = Duration::from_millis(188);
const DEFAULT_CACHE: Duration = Duration::from_secs(5);
const LONGEST_DEFAULT_TIMEOUT: Duration = Duration::from_secs(1);

/// What the attribute says. Beside a mistake, what of it could be used.
pub(crate) struct Check {
    pub(crate) name: LitStr,
    /// The runtime's names; without any it has its own default.
    pub(crate) groups: Option<Groups>,
    /// `soft` or `hard`, where one of them was given.
    pub(crate) hard: Option<bool>,
    pub(crate) remote: bool,
    pub(crate) reason: Option<LitStr>,
    pub(crate) model: Option<LitStr>,
    /// Fields of the runtime's `Timing` in nanoseconds or counts, as far as they are given.
    pub(crate) timing: Vec<(&'static str, u64)>,
}

/// How the function is called.
pub(crate) struct Run {
    pub(crate) asynchronous: bool,
    /// The type of the state that it wants.
    pub(crate) state: Option<Type>,
}

impl Check {
    /// Applies the rules across keys.
    pub(crate) fn of(args: Args, function: &PartialFn, diagnostics: &mut Diagnostics) -> Self {
        let (soft, hard, remote) = (args.soft.key(), args.hard.key(), args.remote.key());
        let groups = args.group.take();
        if let (Some(soft), Some(_)) = (soft, hard) {
            diagnostics.at(
                soft,
                "a check is `soft` or `hard`, not both: when a soft one fails the service stays ready, degraded",
            );
        }
        if groups.as_ref().is_some_and(Groups::liveness) {
            if let Some(soft) = soft {
                diagnostics.at(
                    soft,
                    "a `soft` check can't be in liveness: it can only degrade, and nobody restarts what is degraded",
                );
            }
            if let Some(remote) = remote {
                diagnostics.at(
                    remote,
                    "a `remote` check can't be in liveness: when what it asks is down, every replica would be restarted",
                );
            }
        } else if let (Some(remote), None, None) = (remote, soft, hard) {
            diagnostics.at(
                remote,
                "a `remote` check says `soft` or `hard`: with `hard`, every replica leaves at once when what it asks is down",
            );
        }
        let model = args.model.take();
        if let Some(empty) = model.as_ref().filter(|model| model.value().is_empty()) {
            diagnostics.at(
                empty.span(),
                "the model has a name: the one given to `telemetry.model(name, version)`",
            );
        }
        Self {
            name: name(args.name, function, diagnostics),
            groups,
            hard: soft.or(hard).map(|_| hard.is_some()),
            remote: remote.is_some(),
            reason: args.reason.take().inspect(|reason| {
                if let Some(mistake) = identifier::mistake("a reason", &reason.value()) {
                    diagnostics.at(reason.span(), mistake);
                }
            }),
            model,
            timing: timing(args.timing, diagnostics),
        }
    }
}

/// The name that is given, else the function's.
fn name(given: Once<LitStr>, function: &PartialFn, diagnostics: &mut Diagnostics) -> LitStr {
    let ident = &function.sig.ident;
    if given.key().is_none() {
        let text = ident.unraw().to_string();
        if let Some(mistake) = identifier::mistake("a check's name", &text) {
            diagnostics.at(
                ident.span(),
                format!(
                    "{mistake} (`name = \"…\"` gives the check another name than the function's)"
                ),
            );
        }
        return LitStr::new(&text, ident.span());
    }
    let Some(name) = given.take() else {
        return LitStr::new("", ident.span());
    };
    if let Some(mistake) = identifier::mistake("a check's name", &name.value()) {
        diagnostics.at(name.span(), mistake);
    }
    name
}

/// Applies the rules between the numbers: what is not given has the runtime's default.
fn timing(args: TimingArgs, diagnostics: &mut Diagnostics) -> Vec<(&'static str, u64)> {
    let TimingArgs {
        cache,
        timeout,
        refresh,
        confirm,
        max_stale,
        initial_delay,
        failures,
        successes,
    } = args;
    // What can't be read is no default either: nothing else can be wrong beside it.
    let readable = [&cache, &timeout, &refresh].map(|once| once.key().is_some());
    let durations = [cache, timeout, refresh, confirm, max_stale, initial_delay].map(Once::take);
    let [cache, timeout, refresh, confirm, max_stale, delay] = durations;
    if readable == [cache, timeout, refresh].map(|given| given.is_some()) {
        rules(cache, timeout, refresh, max_stale, diagnostics);
    }
    if let Some(zero) = confirm.filter(|confirm| confirm.duration.is_zero()) {
        diagnostics.at(
            zero.span,
            "`confirm` is longer than zero, or a check that fails would run without a pause",
        );
    }
    if let Some(zero) = delay.filter(|delay| delay.duration.is_zero()) {
        diagnostics.at(
            zero.span,
            "`initial_delay` is zero when it is not given: leave it out",
        );
    }
    let nanoseconds = |given: Option<Given>| {
        given.map(|given| u64::try_from(given.duration.as_nanos()).unwrap_or(u64::MAX))
    };
    let fields = [
        ("cache", nanoseconds(cache)),
        ("timeout", nanoseconds(timeout)),
        ("refresh", nanoseconds(refresh)),
        ("confirm", nanoseconds(confirm)),
        ("failures", failures.take().map(u64::from)),
        ("successes", successes.take().map(u64::from)),
        ("max_stale", nanoseconds(max_stale)),
        ("initial_delay", nanoseconds(delay)),
    ];
    fields
        .into_iter()
        .filter_map(|(field, value)| Some((field, value?)))
        .collect()
}

/// The runtime has the same ones, for what is set at start.
fn rules(
    cache: Option<Given>,
    timeout: Option<Given>,
    refresh: Option<Given>,
    max_stale: Option<Given>,
    diagnostics: &mut Diagnostics,
) {
    let fresh = cache.map_or(DEFAULT_CACHE, |cache| cache.duration);
    let limit = timeout.map_or(LONGEST_DEFAULT_TIMEOUT.min(fresh / 5), |timeout| {
        timeout.duration
    });
    let or_default = |given: Option<Given>, duration| match given {
        Some(_) => show(duration),
        None => format!("{} by default", show(duration)),
    };
    let (fresh_text, limit_text) = (or_default(cache, fresh), or_default(timeout, limit));
    match timeout {
        Some(zero) if limit.is_zero() => {
            diagnostics.at(
                zero.span,
                "`timeout` is longer than zero: a check needs some time",
            );
            return;
        }
        Some(long) if fresh < limit + HEADROOM && fresh > HEADROOM => {
            let (most, shortest) = (show(fresh - HEADROOM), show(limit + HEADROOM));
            diagnostics.at(
                long.span,
                format!(
                    "`timeout` is too long for `cache` ({fresh_text}), which has to be 150ms longer: at most \
                     `\"{most}\"`, or `cache = \"{shortest}\"`"
                ),
            );
            return;
        }
        _ => {}
    }
    let shortest = match (timeout, refresh) {
        (None, _) => SHORTEST_CACHE_ALONE,
        (Some(_), None) => SHORTEST_CACHE.max(limit + HEADROOM),
        (Some(_), Some(_)) => limit + HEADROOM,
    };
    if let Some(short) = cache.filter(|_| fresh < shortest) {
        diagnostics.at(
            short.span,
            format!(
                "`cache` is too short for `timeout` ({limit_text}): at least `\"{}\"`",
                show(shortest)
            ),
        );
        return;
    }
    if let Some(often) = refresh.filter(|refresh| refresh.duration < SHORTEST_REFRESH) {
        diagnostics.at(
            often.span,
            "`refresh` is at least `\"100ms\"`: a check that runs more often measures itself",
        );
    } else if let Some(late) = refresh.filter(|refresh| refresh.duration + limit > fresh) {
        diagnostics.at(
            late.span,
            format!(
                "`refresh` and `timeout` ({limit_text}) have to fit into `cache` ({fresh_text}), or no result stays \
                 fresh: at most `\"{}\"`",
                show(fresh - limit)
            ),
        );
    }
    if let Some(short) = max_stale.filter(|max_stale| max_stale.duration < fresh + limit) {
        diagnostics.at(
            short.span,
            format!(
                "`max_stale` is at least as long as `cache` ({fresh_text}) and `timeout` ({limit_text}) together: \
                 `\"{}\"`",
                show(fresh + limit)
            ),
        );
    }
}

impl Run {
    /// Reads how the function is called; `None` where it can't be.
    pub(crate) fn of(function: &PartialFn, diagnostics: &mut Diagnostics) -> Option<Self> {
        let sig = &function.sig;
        let mut fits = true;
        let mut refuse = |tokens: &dyn ToTokens, text: &str| {
            fits = false;
            diagnostics.push(Error::new_spanned(tokens.to_token_stream(), text));
        };
        let twice = |attribute: &&Attribute| {
            let last = attribute.path().segments.last();
            last.is_some_and(|last| last.ident == PLACE.attribute)
        };
        if let Some(second) = function.attributes.iter().find(twice) {
            refuse(
                second.path(),
                "one function is one check: for a second one write a second function",
            );
        }
        if let Some(token) = &sig.constness {
            refuse(
                token,
                "a check looks at what is true now, which a `const fn` can't: take `const` away",
            );
        }
        if let Safety::Unsafe(token) = &sig.safety {
            refuse(
                token,
                "a check is run by itself, where nobody can promise what an `unsafe fn` asks for: call it from a safe one",
            );
        }
        if let Some(abi) = &sig.abi {
            refuse(
                &abi.extern_token,
                "a check is run from Rust: take `extern` away",
            );
        }
        if let Some(parameter) = sig.generics.params.first() {
            refuse(
                parameter,
                "a check is one function, so it has no generics: name the types, and leave the lifetimes out",
            );
        }
        if let Some(variadic) = &sig.variadic {
            refuse(
                &variadic.dots,
                "a check has one argument at most, the state",
            );
        }
        if let Some(second) = sig.inputs.iter().nth(1) {
            refuse(
                second,
                "a check has one argument at most: put what it needs into one state, `&App`",
            );
        }
        match function.returns().shape {
            Shape::Never => refuse(&sig.output, "a check that never returns says nothing"),
            Shape::Future(_) | Shape::BoxedFuture(_) if sig.asyncness.is_none() => {
                refuse(
                    &sig.output,
                    "a check that waits is an `async fn`: write it so, with what the future gives as the return type",
                );
            }
            _ => {}
        }
        let state = sig.inputs.first().and_then(|argument| {
            state(argument)
                .inspect_err(|(tokens, text)| refuse(tokens, text))
                .ok()
        });
        fits.then(|| Self {
            asynchronous: sig.asyncness.is_some(),
            state,
        })
    }
}

/// `S` of an argument `&S`; else the tokens that are wrong, and why.
fn state(argument: &FnArg) -> Result<Type, (TokenStream, &'static str)> {
    let refused = |tokens: &dyn ToTokens, text| Err((tokens.to_token_stream(), text));
    let declared = match argument {
        FnArg::Receiver(receiver) => {
            return refused(
                &receiver.self_token,
                "a check is a free function, there is nothing to call a method on: take the state as `app: &App`",
            );
        }
        FnArg::Typed(argument) => ungrouped(&argument.ty),
    };
    let Type::Reference(reference) = declared else {
        return refused(
            declared,
            "a check borrows its state, which is kept for the next run: put a `&` before the type",
        );
    };
    if let Some(token) = &reference.mutability {
        return refused(token, "the state of a check is shared: take it as `&`");
    }
    if let Some(lifetime) = &reference.lifetime {
        return refused(
            lifetime,
            "a check borrows its state for one run: leave the lifetime out",
        );
    }
    if let Some(token) = hidden(reference.elem.to_token_stream()) {
        return refused(
            &token,
            "the state of a check has one type: name it in the place of `impl`",
        );
    }
    let state = ungrouped(&reference.elem);
    let unsized_text = matches!(state, Type::Path(path) if path.path.is_ident("str"));
    if unsized_text || matches!(state, Type::Slice(_) | Type::TraitObject(_)) {
        return refused(
            state,
            "the state of a check has a size: take it in an `Arc`, as `&Arc<…>`, or in a struct of yours",
        );
    }
    Ok(state.clone())
}

/// Out of the parentheses, and of the invisible ones of a `macro_rules!`.
fn ungrouped(declared: &Type) -> &Type {
    match declared {
        Type::Group(inner) => ungrouped(&inner.elem),
        Type::Paren(inner) => ungrouped(&inner.elem),
        _ => declared,
    }
}

/// The first `impl`.
fn hidden(tokens: TokenStream) -> Option<TokenTree> {
    tokens.into_iter().find_map(|token| match &token {
        TokenTree::Ident(word) if word == "impl" => Some(token),
        TokenTree::Group(group) => hidden(group.stream()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said about `attribute` on `item`.
    fn said(attribute: &str, item: &str) -> Vec<String> {
        let tokens = |text: &str| text.parse().expect("test input is made of tokens");
        let mut diagnostics = Diagnostics::new();
        let args = Args::read(tokens(attribute), &mut diagnostics);
        let function = PartialFn::read(&PLACE, &tokens(item), &mut diagnostics);
        if let Some(function) = function {
            Run::of(&function, &mut diagnostics);
            Check::of(args, &function, &mut diagnostics);
        }
        diagnostics.texts()
    }

    #[test]
    fn numbers_that_fit_are_taken() {
        for attribute in [
            "",
            "timeout = \"1s\"",
            "cache = \"188ms\"",
            "cache = \"167ms\", timeout = \"17ms\"",
            "cache = \"160ms\", timeout = \"10ms\", refresh = \"100ms\"",
            "cache = \"1s\", timeout = \"850ms\", refresh = \"150ms\", max_stale = \"1850ms\"",
            "cache = \"5000000h\", timeout = \"5000h\", max_stale = \"5100000h\"",
        ] {
            assert_eq!(said(attribute, "fn f() {}"), [""; 0], "{attribute}");
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_told_with_one_that_does() {
        for (attribute, part) in [
            ("timeout = \"0s\"", "`timeout` is longer than zero"),
            (
                "timeout = \"5s\"",
                "`cache` (5s by default), which has to be 150ms longer: at most `\"4850ms\"`",
            ),
            (
                "cache = \"1s\", timeout = \"1s\"",
                "or `cache = \"1150ms\"`",
            ),
            (
                "cache = \"100ms\", timeout = \"1s\"",
                "`cache` is too short for `timeout` (1s): at least `\"1150ms\"`",
            ),
            (
                "cache = \"160ms\", timeout = \"10ms\"",
                "at least `\"167ms\"`",
            ),
            (
                "cache = \"5\", timeout = \"6s\", max_stale = \"1s\"",
                "needs a unit",
            ),
            ("cache = \"0s\"", "at least `\"188ms\"`"),
            ("cache = \"100ms\"", "`timeout` (20ms by default)"),
            ("refresh = \"99ms\"", "at least `\"100ms\"`"),
            (
                "refresh = \"4500ms\"",
                "fit into `cache` (5s by default), or no result stays fresh: at most `\"4s\"`",
            ),
            ("max_stale = \"5s\"", "together: `\"6s\"`"),
            ("confirm = \"0s\"", "without a pause"),
            ("initial_delay = \"0s\"", "leave it out"),
        ] {
            let said = said(attribute, "fn f() {}");
            assert_eq!(said.len(), 1, "{attribute}: {said:?}");
            assert!(said[0].contains(part), "{attribute}: {said:?}");
        }
    }

    #[test]
    fn words_that_do_not_go_together_are_told() {
        for (attribute, part) in [
            ("soft, hard", "not both"),
            (
                "group = \"liveness\", soft",
                "can't be in liveness: it can only degrade",
            ),
            (
                "group = [\"startup\", \"liveness\"], remote, hard",
                "every replica would be restarted",
            ),
            (
                "group = \"liveness\", remote",
                "every replica would be restarted",
            ),
            ("remote", "says `soft` or `hard`"),
            (
                "name = \"Redis\"",
                "a check's name is lower case letters, digits and `_`: write `\"redis\"`",
            ),
            (
                "reason = \"redis down\"",
                "a reason is lower case letters, digits and `_`: write `\"redis_down\"`",
            ),
            ("model = \"\"", "the model has a name"),
        ] {
            let said = said(attribute, "fn f() {}");
            assert_eq!(said.len(), 1, "{attribute}: {said:?}");
            assert!(said[0].contains(part), "{attribute}: {said:?}");
        }
        for attribute in [
            "remote, soft",
            "remote, hard, group = \"startup\"",
            "hard, group = \"liveness\"",
        ] {
            assert_eq!(said(attribute, "fn f() {}"), [""; 0], "{attribute}");
        }
    }

    #[test]
    fn functions_that_can_be_checks_are_taken() {
        for item in [
            "fn f() -> bool { true }",
            "pub async fn f(app: &App) -> Result<Health, E<'_>> { x }",
            "fn f(App { pool, .. }: &std::sync::Arc<App>) {}",
            "fn f(_: &(A, B)) {}",
            "fn r#type() {}",
        ] {
            assert_eq!(said("", item), [""; 0], "{item}");
        }
    }

    #[test]
    fn functions_that_cannot_be_checks_are_told_why() {
        for (item, part) in [
            ("const fn f() {}", "take `const` away"),
            ("unsafe fn f() {}", "call it from a safe one"),
            ("extern \"C\" fn f() {}", "take `extern` away"),
            ("fn f<T>() {}", "no generics"),
            ("fn f<'a>(a: &S) {}", "leave the lifetimes out"),
            ("fn f(a: &S, b: &S) {}", "one argument at most"),
            ("fn f(&self) {}", "there is nothing to call a method on"),
            (
                "fn f(self: Arc<Self>) {}",
                "there is nothing to call a method on",
            ),
            ("fn f(a: Arc<S>) {}", "put a `&` before the type"),
            ("fn f(a: &mut S) {}", "is shared"),
            ("fn f(a: &'static S) {}", "leave the lifetime out"),
            ("fn f(a: &impl A) {}", "in the place of `impl`"),
            ("fn f(a: &[Box<impl A>]) {}", "in the place of `impl`"),
            ("fn f(a: &str) {}", "`&Arc<…>`"),
            ("fn f(a: &dyn A) {}", "`&Arc<…>`"),
            ("fn f(a: &(dyn A + Send)) {}", "`&Arc<…>`"),
            ("fn f() -> ! { loop {} }", "says nothing"),
            (
                "fn f() -> impl Future<Output = bool> { g() }",
                "an `async fn`",
            ),
            ("fn Redis() {}", "write `\"redis\"` (`name ="),
            (
                "fn f();",
                "nothing to run: put `#[health_check]` on a free function",
            ),
            (
                "impl A { fn f() {} }",
                "one free function: put `#[health_check(…)]` on a function, not on the whole `impl` block",
            ),
            ("struct A;", "makes a check of a function: expected `fn`"),
        ] {
            let said = said("", item);
            assert_eq!(said.len(), 1, "{item}: {said:?}");
            assert!(said[0].contains(part), "{item}: {said:?}");
        }
    }
}
