//! The attribute as checked: only this can be expanded.

use crate::diag::Diagnostics;
use crate::health_check::args::Args;
use crate::health_check::timing::timing;
use crate::syntax::args::Once;
use crate::syntax::group::Groups;
use crate::syntax::identifier;
use crate::syntax::partial_fn::PartialFn;
use syn::LitStr;
use syn::ext::IdentExt;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health_check::run::PLACE;

    /// What is said about `attribute` on `item`.
    fn said(attribute: &str, item: &str) -> Vec<String> {
        let tokens = |text: &str| text.parse().expect("test input is made of tokens");
        let mut diagnostics = Diagnostics::new();
        let args = Args::read(tokens(attribute), &mut diagnostics);
        let function = PartialFn::read(&PLACE, &tokens(item), &mut diagnostics);
        Check::of(args, &function.expect("it parses"), &mut diagnostics);
        diagnostics.texts()
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
    fn the_name_is_the_function_s_unless_one_is_given() {
        assert_eq!(said("", "fn r#type() {}"), [""; 0]);
        assert_eq!(said("name = \"redis\"", "fn Redis() {}"), [""; 0]);
        let said = said("", "fn Redis() {}");
        assert!(said[0].contains("write `\"redis\"` (`name ="), "{said:?}");
    }
}
