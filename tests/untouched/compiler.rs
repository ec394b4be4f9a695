//! Runs rustc and clippy on a text, against the facade that this test was linked with.

use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::{env, fs};

/// What the compiler has to say about the user's code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The first underlined line, from 1.
    pub(crate) line: usize,
    /// The columns from which and to which is underlined, and the last line.
    pub(crate) underlined: [u64; 3],
    /// `warning` or `error`.
    pub(crate) level: String,
    /// The lint's or the error's name.
    pub(crate) code: String,
    pub(crate) text: String,
}

/// A library that texts may name, and its file.
type Library = (&'static str, PathBuf);

/// What a text may name, and how it shows that a file of that library is the right one.
const LIBRARIES: [(&str, &str); 3] = [
    (
        "instrument_inference",
        "pub use instrument_inference::testing::Rig;",
    ),
    ("async_trait", "pub use async_trait::async_trait;"),
    ("tracing", "pub use tracing::instrument;"),
];

fn libraries() -> &'static [Library] {
    static FOUND: OnceLock<Vec<Library>> = OnceLock::new();
    FOUND.get_or_init(|| LIBRARIES.map(|(name, probe)| find(name, probe)).into())
}

/// Where the libraries are that this test was linked with.
fn folder() -> PathBuf {
    let test = env::current_exe().expect("a test is a file");
    test.parent().expect("in a folder").to_owned()
}

/// The newest file of the library for which the probe compiles: others are stale, or have other features.
fn find(name: &'static str, probe: &str) -> Library {
    let entries = fs::read_dir(folder()).expect("a readable folder");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("a readable folder"))
        .filter(|entry| is_file_of(&entry.file_name().to_string_lossy(), name))
        .collect();
    files.sort_by_key(|file| {
        let changed = file.metadata().and_then(|about| about.modified());
        std::cmp::Reverse(changed.ok())
    });
    let mut libraries = files.iter().map(|file| (name, file.path()));
    let found = libraries.find(|library| {
        let name = format!("probe_of_{name}");
        run(
            &rustc(),
            &name,
            std::slice::from_ref(library),
            &["--edition", "2024"],
            probe,
        )
        .status
        .success()
    });
    found.unwrap_or_else(|| panic!("`{probe}` compiles with none of {files:?}"))
}

fn is_file_of(file: &str, name: &str) -> bool {
    let rest = file.strip_prefix("lib");
    let rest = rest.and_then(|rest| rest.strip_prefix(name));
    let kind = Path::new(file).extension().and_then(OsStr::to_str);
    rest.is_some_and(|rest| rest.starts_with('-')) && matches!(kind, Some("rlib" | "so" | "dylib"))
}

fn rustc() -> OsString {
    env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// Clippy of that rustc, if there is one.
pub(crate) fn clippy() -> Option<OsString> {
    let output = Command::new(rustc()).args(["--print", "sysroot"]).output();
    let sysroot = String::from_utf8(output.ok()?.stdout).ok()?;
    let driver = Path::new(sysroot.trim()).join("bin/clippy-driver");
    driver.exists().then(|| driver.into_os_string())
}

/// Compiles a text in a folder of its own.
fn run(program: &OsStr, name: &str, known: &[Library], options: &[&str], text: &str) -> Output {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&out).expect("a writable folder");
    let source = out.join("subject.rs");
    fs::write(&source, text).expect("a writable folder");
    let assigned = |name: &str, value: &Path| {
        let mut argument = OsString::from(name);
        argument.push("=");
        argument.push(value);
        argument
    };
    let mut command = Command::new(program);
    command.arg(source).arg("--out-dir").arg(out);
    command.arg("-L").arg(assigned("dependency", &folder()));
    for (name, file) in known {
        command.arg("--extern").arg(assigned(name, file));
    }
    command.args(["--emit", "metadata"]);
    command.args(["--crate-type", "lib", "--error-format", "json"]);
    command.args(options).output().expect("the compiler runs")
}

/// What rustc says about a text.
pub(crate) fn check(name: &str, options: &[&str], text: &str) -> BTreeSet<Finding> {
    findings(&run(&rustc(), name, libraries(), options, text))
}

/// What clippy, and rustc through it, say about a text.
pub(crate) fn lint(clippy: &OsStr, name: &str, options: &[&str], text: &str) -> BTreeSet<Finding> {
    findings(&run(clippy, name, libraries(), options, text))
}

fn findings(output: &Output) -> BTreeSet<Finding> {
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("not JSON: {text}"))
        })
        .filter(|message| message["$message_type"] == "diagnostic")
        .filter_map(|message| finding(&message))
        .collect()
}

/// `None` for what is only said in conclusion.
fn finding(message: &Value) -> Option<Finding> {
    let spans = message["spans"].as_array()?;
    let primary = spans.iter().find(|span| span["is_primary"] == true)?;
    let number = |key: &str| primary[key].as_u64().unwrap_or_default();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Some(Finding {
        line: usize::try_from(number("line_start")).ok()?,
        underlined: [
            number("column_start"),
            number("line_end"),
            number("column_end"),
        ],
        level: word(&message["level"]),
        code: word(&message["code"]["code"]),
        text: word(&message["message"]),
    })
}
