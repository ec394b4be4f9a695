//! Lints on the user's code are the same with and without an attribute: none lost, none new, each on the same columns.

use crate::compiler::{self, Finding};
use crate::subjects;
use std::collections::BTreeSet;
use std::io::Write;

/// All that clippy and rustc have, sensible or not. `unused_crate_dependencies` is about the crate.
const LINTS: [&str; 19] = [
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
    "unused_qualifications",
    "unused_results",
];

fn found(clippy: &std::ffi::OsStr, name: &str, attribute: &str) -> BTreeSet<Finding> {
    let mut options = vec!["--cap-lints", "warn"];
    for lint in LINTS.iter().chain(&["unused_lifetimes", "unused_import_braces"]) {
        options.extend(["-W", lint]);
    }
    compiler::lint(clippy, name, &options, &subjects::text(attribute))
}

#[test]
fn lints_on_the_users_code_are_the_same() {
    let Some(clippy) = compiler::clippy() else {
        let line = "SKIPPED lints_on_the_users_code_are_the_same: there is no clippy\n";
        let _ = std::io::stderr().write_all(line.as_bytes());
        return;
    };
    let text = subjects::text("");
    let line = |at: usize| text.lines().nth(at - 1).unwrap_or_default().trim();
    let plain = found(&clippy, "lints_plain", "");
    let kinds: BTreeSet<_> = plain.iter().map(|finding| &finding.code).collect();
    eprintln!("{} findings of {} lints: {kinds:?}", plain.len(), kinds.len());
    let errors = plain.iter().filter(|finding| finding.level == "error");
    assert_eq!(errors.collect::<Vec<_>>(), Vec::<&Finding>::new());
    let mut differences = Vec::new();
    for (name, attribute) in subjects::ATTRIBUTES.into_iter().take(1) {
        let measured = found(&clippy, &format!("lints_{name}"), attribute);
        for lost in plain.difference(&measured) {
            differences.push(format!("{name}: lost {lost:?}\n    {}", line(lost.line)));
        }
        for new in measured.difference(&plain) {
            differences.push(format!("{name}: new {new:?}\n    {}", line(new.line)));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
