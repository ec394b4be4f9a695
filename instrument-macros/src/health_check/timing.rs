//! The numbers of a check, and the rules between them.

use crate::diag::Diagnostics;
use crate::health_check::args::TimingArgs;
use crate::syntax::args::Once;
use crate::syntax::duration::{Given, show};
use std::time::Duration;

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

/// Applies the rules between the numbers: what is not given has the runtime's default.
pub(crate) fn timing(args: TimingArgs, diagnostics: &mut Diagnostics) -> Vec<(&'static str, u64)> {
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
            "`confirm` has to be longer than zero, or a check that fails would run without a pause",
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
                "`timeout` has to be longer than zero: a check needs some time",
            );
            return;
        }
        Some(long) if fresh < limit + HEADROOM && fresh > HEADROOM => {
            let (most, shortest) = (show(fresh.saturating_sub(HEADROOM)), show(limit + HEADROOM));
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
                show(fresh.saturating_sub(limit))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health_check::args::Args;

    /// What is said about `attribute`.
    fn said(attribute: &str) -> Vec<String> {
        let tokens = attribute.parse().expect("test input is made of tokens");
        let mut diagnostics = Diagnostics::new();
        let args = Args::read(tokens, &mut diagnostics);
        timing(args.timing, &mut diagnostics);
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
            assert_eq!(said(attribute), [""; 0], "{attribute}");
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_told_with_one_that_does() {
        for (attribute, part) in [
            ("timeout = \"0s\"", "`timeout` has to be longer than zero"),
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
            let said = said(attribute);
            assert_eq!(said.len(), 1, "{attribute}: {said:?}");
            assert!(said[0].contains(part), "{attribute}: {said:?}");
        }
    }
}
