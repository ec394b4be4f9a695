//! Lints on the user's code are the same with and without an attribute: none lost, none new, each on the same columns.

use crate::compiler::{self, Finding};
use crate::subjects::{self, Extent};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Write;

/// All that clippy has, sensible or not, and what rustc has for those who ask.
const LINTS: [&str; 21] = [
    "clippy::all",
    "clippy::pedantic",
    "clippy::nursery",
    "clippy::restriction",
    "rust_2018_idioms",
    "rust_2021_compatibility",
    "rust_2024_compatibility",
    "unused",
    "explicit_outlives_requirements",
    "let_underscore_drop",
    "missing_docs",
    "redundant_lifetimes",
    "single_use_lifetimes",
    "trivial_casts",
    "trivial_numeric_casts",
    "unit_bindings",
    "unreachable_pub",
    "unused_import_braces",
    "unused_lifetimes",
    "unused_qualifications",
    "unused_results",
];

/// What differs, and why it can't be otherwise.
const LOST: &[(&str, &str)] = &[
    ("clippy::missing_const_for_fn", "it can't be one any more"),
    ("clippy::unused_async", "the stage is awaited"),
    (
        "clippy::manual_async_fn",
        "the body is more than an `async` block",
    ),
    (
        "clippy::needless_pass_by_value",
        "the body takes the arguments",
    ),
    ("clippy::boxed_local", "the body takes the arguments"),
    (
        "clippy::collection_is_never_read",
        "the body takes the arguments",
    ),
    (
        "clippy::needless_lifetimes",
        "the body's type names them again",
    ),
    (
        "clippy::elidable_lifetime_names",
        "the body's type names them again",
    ),
    ("unconditional_recursion", "it looks into no closure"),
    ("clippy::cognitive_complexity", "it looks into no closure"),
    ("clippy::unwrap_in_result", "it looks into no closure"),
    ("clippy::large_stack_frames", "the frame is the closure's"),
    (
        "clippy::needless_return",
        "it looks into no closure of a macro",
    ),
    (
        "clippy::implicit_return",
        "it looks into no closure of a macro",
    ),
    (
        "clippy::default_numeric_fallback",
        "a block inside is no body",
    ),
];

/// The same, the other way.
const NEW: &[(&str, &str)] = &[
    ("clippy::implicit_return", "the expansion ends without one"),
    ("clippy::large_stack_frames", "the frame is the closure's"),
    (
        "clippy::must_use_candidate",
        "a static that a closure uses does not make the function impure",
    ),
    (
        "clippy::result_large_err",
        "said of the function, and of the closure",
    ),
    (
        "clippy::shadow_reuse",
        "arguments called `__x`, or used by the attribute, are bound again under their names",
    ),
    (
        "unused_assignments",
        "of what is captured: a field of `mut self`, or what is read only where nobody comes",
    ),
];

fn found(clippy: &OsStr, name: &str, edition: &str, text: &str) -> BTreeSet<Finding> {
    let mut options = vec!["--edition", edition, "--cap-lints", "warn"];
    for lint in LINTS {
        options.extend(["-W", lint]);
    }
    compiler::lint(clippy, name, &options, text)
}

/// What differs between a text with and without an attribute, as `(lint, sentence)`.
fn differences(
    clippy: &OsStr,
    edition: &str,
    extent: Extent,
    attributes: &[(&str, &str)],
) -> [Vec<(String, String)>; 2] {
    let text = subjects::text(extent, "");
    let plain = found(clippy, "lints_plain", edition, &text);
    let errors = plain.iter().filter(|finding| finding.level == "error");
    assert_eq!(errors.collect::<Vec<_>>(), Vec::<&Finding>::new());
    assert!(
        plain.len() > 500,
        "the subjects give reason to more: {plain:?}"
    );
    let line = |at: usize| text.lines().nth(at - 1).unwrap_or_default().trim();
    let mut different = [Vec::new(), Vec::new()];
    for (name, attribute) in attributes {
        let text = subjects::text(extent, attribute);
        let measured = found(clippy, &format!("lints_{name}"), edition, &text);
        let shown = |finding: &Finding| {
            let sentence = format!("{name}, {edition}: {finding:?}\n    {}", line(finding.line));
            (finding.code.clone(), sentence)
        };
        different[0].extend(plain.difference(&measured).map(shown));
        different[1].extend(measured.difference(&plain).map(shown));
    }
    different
}

fn assert_known(what: &str, different: &[(String, String)], known: &[(&str, &str)]) {
    let unknown = different
        .iter()
        .filter(|(code, _)| !known.iter().any(|(known, _)| known == code));
    let unknown: Vec<_> = unknown.map(|(_, sentence)| sentence.as_str()).collect();
    assert!(unknown.is_empty(), "{what}:\n{}", unknown.join("\n"));
}

#[test]
fn lints_on_the_users_code_are_the_same() {
    let Some(clippy) = compiler::clippy() else {
        // Past the capture of the test harness: a skipped check must be seen.
        let line = "SKIPPED lints_on_the_users_code_are_the_same: there is no clippy\n";
        let _ = std::io::stderr().write_all(line.as_bytes());
        return;
    };
    let (first, others) = subjects::ATTRIBUTES.split_at(1);
    let all = differences(&clippy, "2024", Extent::Every, first);
    let with_keys = differences(&clippy, "2024", Extent::Some, others);
    let older = differences(&clippy, "2021", Extent::Some, first);
    for [lost, new] in [&all, &with_keys, &older] {
        assert_known("new", new, NEW);
        assert_known("lost", lost, LOST);
    }
    // What is equal by now is no known difference.
    let by_now = |different: &[(String, String)], known: &[(&'static str, &str)]| {
        let lints = known.iter().map(|(lint, _)| *lint);
        let equal = lints.filter(|lint| !different.iter().any(|(code, _)| code == lint));
        equal.collect::<Vec<_>>()
    };
    let equal = [by_now(&all[0], LOST), by_now(&all[1], NEW)];
    assert!(
        equal.iter().all(Vec::is_empty),
        "the same with an attribute: {equal:?}"
    );
}
