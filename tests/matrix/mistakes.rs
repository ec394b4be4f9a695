//! What is wrong with an attribute is wrong without features too, in the same words and on the same token.
//!
//! `tests/ui` holds mistakes and what rustc says of them with all features. Here the same files are compiled without any;
//! the first line and the place of each error are compared, not the notes, which name what there is to choose from.
#![cfg(not(any(feature = "health", feature = "metrics")))]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// `3:38: error[E0277]: …`, by file.
type Errors = BTreeMap<String, BTreeSet<String>>;

/// What differs for a reason.
const OTHERWISE: [&str; 7] = [
    // what a check gives, holds and shares is asked by whoever runs it
    "health_check/fail/answer_of_another_type",
    "health_check/fail/error_that_cannot_be_shown",
    "health_check/fail/future_bound_to_a_thread",
    "health_check/fail/state_not_shared_over_threads",
    // so is what a stream is, by whoever follows it
    "stage/fail/stream_of_another_type",
    // an error either way, and rustc's own
    "health_check/fail/on_an_associated_function",
    "stage/fail/body_half_typed",
];

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize()
        .expect("the package is part of the repository")
}

/// The names of all mistakes, such as `stage/fail/name_missing`, with their files.
fn mistakes() -> BTreeMap<String, PathBuf> {
    let macros = fs::read_dir(root().join("tests/ui")).expect("it is part of the repository");
    let folders = macros.filter_map(|entry| fs::read_dir(entry.ok()?.path().join("fail")).ok());
    let files = folders
        .flatten()
        .map(|entry| entry.expect("a readable folder").path());
    files
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        // one whose text is not recorded yet is the concern of `tests/ui.rs`
        .filter(|path| path.with_extension("stderr").exists())
        .map(|path| (named(&path.display().to_string()), path))
        .collect()
}

fn named(path: &str) -> String {
    let short = path
        .rsplit_once("tests/ui/")
        .map_or(path, |(_, short)| short);
    short.trim_end_matches(".rs").to_owned()
}

/// From the recorded texts.
fn expected(mistakes: &BTreeMap<String, PathBuf>) -> Errors {
    let of_one = |path: &PathBuf| {
        let text = fs::read_to_string(path.with_extension("stderr")).expect("a readable file");
        let lines: Vec<&str> = text.lines().collect();
        let errors = lines.windows(2).filter_map(|pair| {
            let place = pair[1].trim_start().strip_prefix("--> ")?;
            let (_, place) = place.split_once(".rs:")?;
            pair[0]
                .starts_with("error")
                .then(|| format!("{place}: {}", pair[0]))
        });
        errors.collect()
    };
    mistakes
        .iter()
        .map(|(name, path)| (name.clone(), of_one(path)))
        .collect()
}

/// Compiles all of them, each as a program of one package.
fn compiled(mistakes: &BTreeMap<String, PathBuf>) -> Errors {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mistakes");
    let mut manifest = format!(
        "[package]\nname = \"mistakes\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         instrument-inference = {{ path = \"{}\", default-features = false }}\n",
        root().display()
    );
    for (name, path) in mistakes {
        let (name, path) = (name.replace('/', "-"), path.display());
        let _ = write!(manifest, "[[bin]]\nname = \"{name}\"\npath = \"{path}\"\n");
    }
    fs::create_dir_all(&folder).expect("a writable folder");
    fs::write(folder.join("Cargo.toml"), manifest).expect("a writable folder");
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).expect("a writable folder");
    let output = Command::new(env!("CARGO"))
        .current_dir(&folder)
        .args([
            "check",
            "--bins",
            "--keep-going",
            "--message-format",
            "short",
            "--target-dir",
            "target",
        ])
        .output()
        .expect("cargo starts");
    let mut errors: Errors = mistakes
        .keys()
        .map(|name| (name.clone(), BTreeSet::new()))
        .collect();
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        let Some((path, error)) = line
            .split_once(".rs:")
            .filter(|(_, rest)| rest.contains(": error"))
        else {
            continue;
        };
        if let Some(known) = errors.get_mut(&named(path)) {
            known.insert(error.to_owned());
        }
    }
    errors
}

#[test]
fn what_is_wrong_is_wrong_without_features_too() {
    let mistakes = mistakes();
    let (expected, compiled) = (expected(&mistakes), compiled(&mistakes));
    let mut wrong = String::new();
    for (name, expected) in &expected {
        let found = &compiled[name];
        // rustc's short form adds the label to the line
        let same = found.len() == expected.len()
            && found
                .iter()
                .zip(expected)
                .all(|(found, line)| found.starts_with(line));
        // what is imported, and not there, is no mistake with an attribute
        let imports = found.iter().any(|line| line.contains("E0432"));
        if !same && !imports && !OTHERWISE.contains(&name.as_str()) {
            let _ = writeln!(
                wrong,
                "{name}\n  with:    {expected:?}\n  without: {found:?}"
            );
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
