//! Keeps the packages and the folders of `instrument-runtime` in their order, and circles out of it.
//!
//! 1. A folder names only folders on lower lines of [`LAYERS`].
//! 2. No two files reach each other, whatever the path.
//! 3. A heavy crate is named only in the places of its line in [`HOMES`].
//! 4. `mod.rs` and `lib.rs` hold no items, `super::` stays in test modules, and a name is imported
//!    from the file that defines it: this habit makes the first two rules exact.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path as FilePath;

/// Lowest first. A new folder goes on the line it belongs to; two on one line stay strangers.
const LAYERS: &[&[&str]] = &[
    &["vocab", "notice", "peak", "spelling"],
    &["site", "config", "baseline", "slot"],
    &["record", "health", "gpu", "quality", "samples"],
    &["request"],
    &["checks", "collect", "signals", "export"],
    &["serve", "triton"],
    &["runtime"],
    &["testing", "queue", "__private"],
];

/// Heavy crates and the only places that may name them; a folder stands for all files below it.
const HOMES: &[(&str, &[&str])] = &[
    ("nvml_wrapper", &["gpu::nvml"]),
    (
        "tonic",
        &[
            "export::otlp",
            "export::otlp_tls",
            "request::classify_tonic",
            "request::follow_tonic",
            "runtime::mounting_grpc",
            "serve",
            "triton",
        ],
    ),
    ("tonic_prost", &["serve", "triton"]),
    ("tonic_reflection", &["serve", "triton"]),
    ("prost", &["serve", "triton"]),
    ("tower", &["request::layer", "request::outcome_http"]),
    ("tower_layer", &["request::layer"]),
    ("tower_service", &["request::layer"]),
    (
        "http",
        &[
            "export::otlp",
            "export::otlp_env",
            "export::otlp_given",
            "export::otlp_http",
            "request::follow_http",
            "request::layer",
            "request::measured_body",
            "request::outcome_http",
            "request::protocol",
            "request::response",
        ],
    ),
    (
        "http_body",
        &[
            "request::layer",
            "request::measured_body",
            "request::response",
        ],
    ),
    // what is mounted has the types of whoever mounts it
    (
        "axum",
        &[
            "runtime::mounting",
            "runtime::mounting_metrics",
            "serve",
            "triton",
        ],
    ),
    ("hyper", &["serve", "triton"]),
    ("hyper_util", &["serve", "triton"]),
    ("prometheus", &["export::prometheus"]),
    ("opentelemetry_prometheus", &["export::prometheus"]),
    (
        "opentelemetry_otlp",
        &["export::otlp", "samples::sink_otlp"],
    ),
    (
        "opentelemetry_http",
        &["export::otlp_http", "export::otlp_tls"],
    ),
    (
        "tracing",
        &[
            "export::push",
            "record::span",
            "request::event",
            "request::spans",
            "request::traces",
            "site::callsite",
        ],
    ),
    ("hyper_rustls", &["export::otlp_tls"]),
    ("rustls", &["export::otlp_tls"]),
];

/// Each package and those of ours that it must not know.
const STRANGERS: &[(&str, &[&str])] = &[
    ("instrument-macros", &["instrument_runtime"]),
    (
        "instrument-runtime",
        &["instrument_macros", "instrument_inference"],
    ),
];

#[test]
fn runtime_keeps_its_order() {
    let wrong = problems(&sources("instrument-runtime"));
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn packages_do_not_know_their_users() {
    let mut wrong = Vec::new();
    for (package, strangers) in STRANGERS {
        wrong.extend(strangers_named(&sources(package), strangers));
        let manifest = package_file(package, "Cargo.toml");
        wrong.extend(strangers_needed(package, &manifest, strangers));
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn facade_only_reexports_by_name() {
    let wrong = facade_problems(&package_file("", "src/lib.rs"));
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

fn package_file(package: &str, file: &str) -> String {
    let path = FilePath::new(env!("CARGO_MANIFEST_DIR"))
        .join(package)
        .join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn sources(package: &str) -> Sources {
    let root = FilePath::new(env!("CARGO_MANIFEST_DIR"))
        .join(package)
        .join("src");
    let mut texts = Vec::new();
    collect(&root, &root, &mut texts);
    assert!(!texts.is_empty(), "no sources in {}", root.display());
    Sources::new(
        texts
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str())),
    )
}

fn collect(root: &FilePath, folder: &FilePath, texts: &mut Vec<(String, String)>) {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            collect(root, &path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let below = path
                .strip_prefix(root)
                .expect("the walk stays below its root");
            let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
            texts.push((parts.join("/"), text));
        }
    }
}

/// The files of one package by module name: `health::state`, and the empty name for `lib.rs`.
struct Sources {
    files: BTreeMap<String, File>,
    /// Exported macros live at the crate root; this says which file has them.
    macros: BTreeMap<String, String>,
}

struct File {
    shown: String,
    /// `lib.rs`, `mod.rs`, and any file that has a folder of its own.
    is_index: bool,
    tokens: Vec<String>,
    paths: Vec<Path>,
}

/// A path as the code names it, grouped imports taken apart.
#[derive(Debug, PartialEq)]
struct Path {
    segments: Vec<String>,
    /// The name that an import brings into scope.
    binds: Option<String>,
}

impl Sources {
    fn new<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut files = BTreeMap::new();
        let mut macros = BTreeMap::new();
        for (shown, text) in texts {
            let mut parts: Vec<_> = shown.trim_end_matches(".rs").split('/').collect();
            let is_index = parts.last() == Some(&"mod") || parts == ["lib"];
            if is_index {
                parts.pop();
            }
            let name = parts.join("::");
            let tokens = without_test_modules(&tokens(text));
            for window in tokens.windows(3) {
                if window[0] == "macro_rules" && window[1] == "!" {
                    macros.insert(window[2].clone(), name.clone());
                }
            }
            let paths = paths(&tokens);
            files.insert(
                name,
                File {
                    shown: shown.to_owned(),
                    is_index,
                    tokens,
                    paths,
                },
            );
        }
        let names: Vec<String> = files.keys().cloned().collect();
        for (name, file) in &mut files {
            let folder = format!("{name}::");
            file.is_index |= names.iter().any(|other| other.starts_with(&folder));
        }
        Self { files, macros }
    }

    /// The file that a path below `crate` leads to; the longest match wins.
    fn resolve(&self, below_crate: &[String]) -> Option<&str> {
        if let [name] = below_crate
            && let Some(file) = self.macros.get(name)
        {
            return Some(file);
        }
        (1..=below_crate.len()).rev().find_map(|length| {
            let (name, _) = self
                .files
                .get_key_value(&below_crate[..length].join("::"))?;
            Some(name.as_str())
        })
    }
}

fn problems(sources: &Sources) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (me, file) in &sources.files {
        let shown = &file.shown;
        if file.is_index {
            wrong.extend(
                items(&file.tokens)
                    .iter()
                    .map(|item| format!("{shown} defines `{item}`")),
            );
        }
        if file
            .paths
            .iter()
            .any(|path| path.segments.iter().any(|segment| segment == "super"))
        {
            wrong.push(format!("{shown} uses `super::` outside of a test module"));
        }
        wrong.extend(strays(me, file));
        // The crate root re-exports for outsiders, from everywhere.
        if me.is_empty() {
            continue;
        }
        let Some(mine) = layer(me) else {
            wrong.push(format!("{shown}: `{}` is on no line of LAYERS", folder(me)));
            continue;
        };
        for path in &file.paths {
            let Some(below_crate) = below_crate(path) else {
                continue;
            };
            let named = format!("crate::{}", below_crate.join("::"));
            match sources.resolve(below_crate) {
                Some(to)
                    if folder(to) != folder(me) && layer(to).is_none_or(|line| line >= mine) =>
                {
                    wrong.push(format!("{shown} names `{named}`, which is not below it"));
                }
                Some(to) if !sources.files[to].is_index => {
                    if to != me {
                        graph.entry(me).or_default().insert(to);
                    }
                }
                _ => wrong.push(format!(
                    "{shown} names `{named}`, not the file that defines it"
                )),
            }
        }
    }
    wrong.extend(circles(&graph));
    let mut seen = BTreeSet::new();
    wrong.retain(|line| seen.insert(line.clone()));
    wrong
}

fn folder(module: &str) -> &str {
    module.split("::").next().unwrap_or(module)
}

fn layer(module: &str) -> Option<usize> {
    LAYERS
        .iter()
        .position(|line| line.contains(&folder(module)))
}

/// What a path names inside the crate, or nothing if it leads elsewhere.
fn below_crate(path: &Path) -> Option<&[String]> {
    let (first, rest) = path.segments.split_first()?;
    match first.as_str() {
        // Exported macros reach their helpers so: the code that names them is the user's.
        "$crate" if rest.first().is_some_and(|name| name == "__private") => None,
        "crate" | "$crate" => Some(rest),
        _ => None,
    }
}

/// Heavy crates named away from home.
fn strays(me: &str, file: &File) -> Vec<String> {
    let ours: BTreeSet<&str> = file
        .paths
        .iter()
        .filter(|path| below_crate(path).is_some())
        .filter_map(|path| path.binds.as_deref())
        .collect();
    let mut found = Vec::new();
    for path in &file.paths {
        let first = path.segments[0].as_str();
        let Some((_, homes)) = HOMES.iter().find(|(heavy, _)| *heavy == first) else {
            continue;
        };
        let at_home = homes
            .iter()
            .any(|home| me == *home || me.starts_with(&format!("{home}::")));
        if !at_home && !ours.contains(first) {
            found.push(format!(
                "{} names the crate `{first}`, whose home is {}",
                file.shown,
                homes.join(", ")
            ));
        }
    }
    found
}

/// Every circle that a walk along the imports runs into.
fn circles(graph: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<String> {
    fn walk<'a>(
        graph: &BTreeMap<&'a str, BTreeSet<&'a str>>,
        at: &'a str,
        trail: &mut Vec<&'a str>,
        done: &mut BTreeSet<&'a str>,
        found: &mut Vec<String>,
    ) {
        if let Some(start) = trail.iter().position(|step| *step == at) {
            found.push(format!("circle: {} -> {at}", trail[start..].join(" -> ")));
            return;
        }
        if !done.insert(at) {
            return;
        }
        trail.push(at);
        for to in graph.get(at).into_iter().flatten() {
            walk(graph, to, trail, done, found);
        }
        trail.pop();
    }
    let (mut done, mut found) = (BTreeSet::new(), Vec::new());
    for start in graph.keys() {
        walk(graph, start, &mut Vec::new(), &mut done, &mut found);
    }
    found
}

fn strangers_named(sources: &Sources, strangers: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for file in sources.files.values() {
        for stranger in strangers {
            if file.tokens.iter().any(|token| token == stranger) {
                found.push(format!("{} names `{stranger}`", file.shown));
            }
        }
    }
    found
}

/// Looks at `[dependencies]` only: tests and documentation may use the facade.
fn strangers_needed(package: &str, manifest: &str, strangers: &[&str]) -> Vec<String> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        }
        for stranger in strangers {
            let stranger = stranger.replace('_', "-");
            let needed = section == "[dependencies]" && line.starts_with(&stranger)
                || section.starts_with(&format!("[dependencies.{stranger}"));
            if needed {
                found.push(format!("{package}/Cargo.toml depends on {stranger}"));
            }
        }
    }
    found.dedup();
    found
}

fn facade_problems(text: &str) -> Vec<String> {
    let tokens = without_test_modules(&tokens(text));
    let mut wrong: Vec<_> = items(&tokens)
        .iter()
        .map(|item| format!("src/lib.rs defines `{item}`"))
        .collect();
    wrong.extend(
        tokens
            .windows(2)
            .filter(|pair| pair[0] == "mod")
            .map(|pair| format!("src/lib.rs has a module `{}`", pair[1])),
    );
    for path in paths(&tokens) {
        if path.segments.last().is_some_and(|last| last == "*") {
            wrong.push(format!(
                "src/lib.rs re-exports `{}` without names",
                path.segments.join("::")
            ));
        }
    }
    wrong
}

/// The items of an index file beside `mod name;`, `use`, attributes, and what only `rustdoc --test` sees.
fn items(tokens: &[String]) -> Vec<String> {
    let at = |index: usize| tokens.get(index).map_or("", String::as_str);
    let (mut found, mut index, mut for_doctests) = (Vec::new(), 0, false);
    while index < tokens.len() {
        match at(index) {
            "#" => {
                let open = index + 1 + usize::from(at(index + 1) == "!");
                for_doctests |= at(open + 1) == "cfg" && at(open + 3) == "doctest";
                index = after_group(tokens, open);
            }
            "pub" if at(index + 1) == "(" => index = after_group(tokens, index + 1),
            "pub" | ";" => index += 1,
            "mod" if at(index + 2) == ";" => index += 3,
            "use" => index = after_item(tokens, index),
            _ => {
                if !for_doctests {
                    let head = tokens[index..]
                        .iter()
                        .take_while(|token| is_name(token) || *token == "!");
                    found.push(head.map(String::as_str).collect::<Vec<_>>().join(" "));
                }
                for_doctests = false;
                index = after_item(tokens, index);
            }
        }
    }
    found
}

/// The place behind the item at `start`: its `;`, or the end of its braces.
fn after_item(tokens: &[String], start: usize) -> usize {
    let is_import = tokens[start] == "use";
    let mut index = start;
    while index < tokens.len() {
        match tokens[index].as_str() {
            ";" => return index + 1,
            "{" if !is_import => return after_group(tokens, index),
            "{" | "(" | "[" => index = after_group(tokens, index),
            _ => index += 1,
        }
    }
    index
}

/// The place behind the bracket that closes the one at `open`.
fn after_group(tokens: &[String], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// Drops `#[cfg(test)] mod name { … }`; `all(test, …)` counts as well.
fn without_test_modules(tokens: &[String]) -> Vec<String> {
    let at = |index: usize| tokens.get(index).map_or("", String::as_str);
    let (mut kept, mut index) = (Vec::new(), 0);
    while index < tokens.len() {
        let is_cfg = at(index) == "#" && at(index + 1) == "[" && at(index + 2) == "cfg";
        if is_cfg && (at(index + 4) == "test" || at(index + 4) == "all" && at(index + 6) == "test")
        {
            let mut next = after_group(tokens, index + 1);
            while at(next) == "#" {
                next = after_group(tokens, next + 1);
            }
            if at(next) == "mod" && at(next + 2) == "{" {
                index = after_group(tokens, next + 2);
                continue;
            }
        }
        kept.push(tokens[index].clone());
        index += 1;
    }
    kept
}

/// All paths, in imports and elsewhere, macro calls included.
fn paths(tokens: &[String]) -> Vec<Path> {
    let at = |index: usize| tokens.get(index).map_or("", String::as_str);
    let (mut found, mut index) = (Vec::new(), 0);
    while index < tokens.len() {
        if at(index) == "use" && (is_name(at(index + 1)) || at(index + 1) == "{") {
            index = import(tokens, index + 1, &[], &mut found);
        } else if is_name(at(index)) && at(index + 1) == "::" {
            let before = |steps| index.checked_sub(steps).map_or("", at);
            // `pub(in crate::health)` says who may look, not what is used.
            let is_visibility = before(1) == "in" && before(3) == "pub";
            // `Vec::<u8>::new` goes on behind its generic arguments.
            let is_rest = before(1) == "::";
            let mut segments = vec![tokens[index].clone()];
            while at(index + 1) == "::" && is_name(at(index + 2)) {
                segments.push(tokens[index + 2].clone());
                index += 2;
            }
            index += 1;
            if !is_visibility && !is_rest {
                found.push(Path {
                    segments,
                    binds: None,
                });
            }
        } else {
            index += 1;
        }
    }
    found
}

/// Reads one import tree from `start` on, adds its paths to `found`, and returns the place behind it.
fn import(tokens: &[String], start: usize, prefix: &[String], found: &mut Vec<Path>) -> usize {
    let at = |index: usize| tokens.get(index).map_or("", String::as_str);
    let (mut segments, mut index) = (prefix.to_vec(), start);
    if at(index) == "{" {
        index += 1;
        while index < tokens.len() && at(index) != "}" {
            index = import(tokens, index, &segments, found);
            index += usize::from(at(index) == ",");
        }
        return index + 1;
    }
    // `a::{self}` is `a`.
    if at(index) != "self" || segments.is_empty() {
        segments.extend(tokens.get(index).cloned());
    }
    index += 1;
    if at(index) == "::" {
        return import(tokens, index + 1, &segments, found);
    }
    let mut binds = segments.last().cloned();
    if at(index) == "as" {
        binds = tokens.get(index + 1).cloned();
        index += 2;
    }
    found.push(Path { segments, binds });
    index
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first == '_' || first == '$' || first.is_alphabetic())
        && token != "$"
}

/// Names, `::` and single signs. Comments and literals are left out, and so is a `::` that opens a path.
fn tokens(text: &str) -> Vec<String> {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let (mut found, mut rest, mut glued) = (Vec::new(), text, false);
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        let was_glued = std::mem::replace(&mut glued, !first.is_whitespace());
        if rest.starts_with("//") {
            length = rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            length = block_comment(rest);
        } else if let Some(literal) = text_literal(rest) {
            length = literal;
        } else if first == '\'' {
            length = quote(rest);
        } else if let Some(name) = rest.strip_prefix("r#") {
            length = 2 + name.find(|c| !is_word(c)).unwrap_or(name.len());
            found.push(rest[2..length].to_owned());
        } else if is_word(first) {
            length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            found.push(rest[..length].to_owned());
        } else if rest
            .strip_prefix("$crate")
            .is_some_and(|tail| !tail.starts_with(is_word))
        {
            length = "$crate".len();
            found.push("$crate".to_owned());
        } else if rest.starts_with("::") {
            length = 2;
            let continues = found
                .last()
                .is_some_and(|last: &String| is_name(last) || last == ">");
            if was_glued && continues {
                found.push("::".to_owned());
            }
        } else if !first.is_whitespace() {
            found.push(first.to_string());
        }
        rest = &rest[length..];
    }
    found
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut index) = (0, 0);
    while index < rest.len() {
        let here = &rest.as_bytes()[index..];
        let step = if here.starts_with(b"/*") {
            depth += 1;
            2
        } else if here.starts_with(b"*/") {
            depth -= 1;
            2
        } else {
            1
        };
        index += step;
        if depth == 0 {
            break;
        }
    }
    index
}

/// The length of the string that `rest` starts with, if it does: `"…"`, `b"…"`, `c"…"`, `r#"…"#` and so on.
fn text_literal(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "r", "b", "c"].into_iter().find(|prefix| {
        let tail = rest
            .strip_prefix(prefix)
            .map(|tail| tail.trim_start_matches('#'));
        tail.is_some_and(|tail| tail.starts_with('"'))
    });
    let prefix = prefix.unwrap_or("");
    let hashes = rest[prefix.len()..]
        .bytes()
        .take_while(|byte| *byte == b'#')
        .count();
    let open = prefix.len() + hashes;
    let is_raw = prefix.ends_with('r');
    if !rest[open..].starts_with('"') || hashes > 0 && !is_raw {
        return None;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    let mut index = open + 1;
    while index < rest.len() {
        let here = &rest.as_bytes()[index..];
        if here.starts_with(close.as_bytes()) {
            return Some(index + close.len());
        }
        index += if here[0] == b'\\' && !is_raw { 2 } else { 1 };
    }
    Some(rest.len())
}

/// The length of a character literal, or of a lifetime with its name.
fn quote(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((escaped, c))) => {
            let from = escaped + c.len_utf8();
            rest[from..]
                .find('\'')
                .map_or(rest.len(), |end| from + end + 1)
        }
        (Some(_), Some((end, '\''))) => end + 1,
        _ => rest[1..]
            .find(|c: char| c != '_' && !c.is_alphanumeric())
            .map_or(rest.len(), |end| end + 1),
    }
}

/// The rules above, broken one at a time.
mod each_mistake_is_reported {
    use super::{
        Sources, facade_problems, paths, problems, strangers_named, strangers_needed, tokens,
    };

    fn found(texts: &[(&str, &str)]) -> Vec<String> {
        problems(&Sources::new(texts.iter().copied()))
    }

    fn named(code: &str) -> Vec<String> {
        paths(&tokens(code))
            .iter()
            .map(|path| path.segments.join("::"))
            .collect()
    }

    #[test]
    fn sound_sources_pass() {
        let texts = [
            (
                "lib.rs",
                "//! Doc.\n#![forbid(unsafe_code)]\nmod health;\npub use crate::health::state::State;",
            ),
            (
                "health/mod.rs",
                "//! Doc.\n#[cfg(feature = \"x\")]\npub(crate) mod state;\npub(crate) mod spec;",
            ),
            (
                "health/spec.rs",
                "use crate::vocab::reason::{self, Reason as Why};\npub(in crate::health) struct Spec;",
            ),
            (
                "health/state.rs",
                "use crate::health::spec::Spec;\n#[cfg(test)]\nmod tests { use super::*; use crate::runtime::Telemetry; }",
            ),
            (
                "runtime.rs",
                "/// See [`crate::testing::Rig`].\nfn f() -> crate::health::state::State { \"crate::testing\"; }",
            ),
            ("vocab/reason.rs", "pub struct Reason;"),
        ];
        assert_eq!(found(&texts), [""; 0]);
    }

    #[test]
    fn upward_import() {
        let texts = [
            ("health/state.rs", "use crate::serve::http::Server;"),
            ("serve/http.rs", ""),
        ];
        assert_eq!(
            found(&texts),
            ["health/state.rs names `crate::serve::http::Server`, which is not below it"]
        );
    }

    #[test]
    fn upward_path_inside_a_macro_call() {
        let texts = [
            (
                "health/state.rs",
                "fn f() { matches!(x, crate::runtime::Telemetry { .. }); }",
            ),
            ("runtime.rs", ""),
        ];
        assert_eq!(
            found(&texts),
            ["health/state.rs names `crate::runtime::Telemetry`, which is not below it"]
        );
    }

    #[test]
    fn neighbour_on_the_same_line() {
        let texts = [
            ("checks/gpu.rs", "use crate::signals::{memory as m};"),
            ("signals/memory.rs", ""),
        ];
        assert_eq!(
            found(&texts),
            ["checks/gpu.rs names `crate::signals::memory`, which is not below it"]
        );
    }

    #[test]
    fn circle_inside_a_folder() {
        let texts = [
            (
                "health/check.rs",
                "use crate::{health::{spec::{Spec, Kind}}};",
            ),
            ("health/spec.rs", "fn f() { crate::health::state::now() }"),
            ("health/state.rs", "use crate::health::check::Check;"),
        ];
        assert_eq!(
            found(&texts),
            ["circle: health::check -> health::spec -> health::state -> health::check"]
        );
    }

    #[test]
    fn stray_heavy_crate() {
        let texts = [
            ("gpu/nvml.rs", "use nvml_wrapper::Nvml;"),
            ("gpu/sample.rs", "fn f(x: ::nvml_wrapper::Device<'_>) {}"),
            (
                "serve/status/page.rs",
                "use hyper::Request; use tower::{Layer, Service};",
            ),
            (
                "request/run.rs",
                "use crate::request::http; fn f() { http::status(); crate::request::http::tonic() }",
            ),
            ("request/http.rs", "#[tonic::async_trait] impl X for Y {}"),
        ];
        assert_eq!(
            found(&texts),
            [
                "gpu/sample.rs names the crate `nvml_wrapper`, whose home is gpu::nvml",
                "request/http.rs names the crate `tonic`, whose home is export::otlp, export::otlp_tls, request::classify_tonic, request::follow_tonic, runtime::mounting_grpc, serve, triton",
                "serve/status/page.rs names the crate `tower`, whose home is request::layer, request::outcome_http",
            ]
        );
    }

    #[test]
    fn item_in_an_index_file() {
        let texts = [
            (
                "lib.rs",
                "mod health;\nmacro_rules! note { () => {} }\npub const LIMIT: [u8; 2] = [0; 2];\nmod inline {}",
            ),
            (
                "health.rs",
                "mod state;\n#[derive(Debug)]\npub(crate) struct Report { at: u8 }\nimpl Report {}",
            ),
            ("health/state.rs", ""),
            (
                "gpu/mod.rs",
                "pub use self::fake::Fake;\npub async fn read<T>(x: T) {}",
            ),
        ];
        assert_eq!(
            found(&texts),
            [
                "lib.rs defines `macro_rules ! note`",
                "lib.rs defines `const LIMIT`",
                "lib.rs defines `mod inline`",
                "gpu/mod.rs defines `async fn read`",
                "health.rs defines `struct Report`",
                "health.rs defines `impl Report`",
            ]
        );
    }

    #[test]
    fn name_taken_through_a_reexport() {
        let texts = [
            ("lib.rs", ""),
            (
                "checks/gpu.rs",
                "use crate::health::State; use crate::Health; use crate as root;",
            ),
            ("health/mod.rs", ""),
            ("health/state.rs", ""),
        ];
        assert_eq!(
            found(&texts),
            [
                "checks/gpu.rs names `crate::health::State`, not the file that defines it",
                "checks/gpu.rs names `crate::Health`, not the file that defines it",
                "checks/gpu.rs names `crate::`, not the file that defines it",
            ]
        );
    }

    #[test]
    fn exported_macro_counts_as_its_file() {
        let texts = [
            (
                "notice.rs",
                "#[macro_export] macro_rules! notice { () => { $crate::__private::tell() } }",
            ),
            (
                "testing.rs",
                "#[macro_export] macro_rules! rig { () => { $crate::notice!() } }",
            ),
            (
                "health/state.rs",
                "fn f() { crate::notice!(); crate::rig!() }",
            ),
        ];
        assert_eq!(
            found(&texts),
            ["health/state.rs names `crate::rig`, which is not below it"]
        );
    }

    #[test]
    fn super_and_unknown_folder() {
        let texts = [
            ("gpu/fake.rs", "use super::sample::Sample;"),
            ("gizmo/a.rs", ""),
        ];
        assert_eq!(
            found(&texts),
            [
                "gizmo/a.rs: `gizmo` is on no line of LAYERS",
                "gpu/fake.rs uses `super::` outside of a test module"
            ]
        );
    }

    #[test]
    fn package_that_knows_its_user() {
        let sources = Sources::new([(
            "stage/expand.rs",
            "// instrument_runtime\nuse instrument_runtime::Site;",
        )]);
        assert_eq!(
            strangers_named(&sources, &["instrument_runtime"]),
            ["stage/expand.rs names `instrument_runtime`"]
        );
        let manifest = "[dependencies]\ninstrument-runtime.workspace = true\n[dev-dependencies]\ninstrument-inference = \"1\"";
        assert_eq!(
            strangers_needed(
                "m",
                manifest,
                &["instrument_runtime", "instrument_inference"]
            ),
            ["m/Cargo.toml depends on instrument-runtime"]
        );
    }

    #[test]
    fn facade_with_more_than_reexports() {
        let text = "//! Doc.\n#![doc = include_str!(\"../README.md\")]\npub use instrument_runtime::{Health, vocab::*};\n\
                    mod extra;\npub fn extra() {}\n#[cfg(doctest)]\npub struct Readme;\npub struct Late;";
        assert_eq!(
            facade_problems(text),
            [
                "src/lib.rs defines `fn extra`",
                "src/lib.rs defines `struct Late`",
                "src/lib.rs has a module `extra`",
                "src/lib.rs re-exports `instrument_runtime::vocab::*` without names",
            ]
        );
    }

    #[test]
    fn paths_are_read_as_the_compiler_reads_them() {
        assert_eq!(
            named("$crate::a $crate_path::b"),
            ["$crate::a", "crate_path::b"]
        );
        assert_eq!(
            named("use a::{self, b::{c as d, *}, e};"),
            ["a", "a::b::c", "a::b::*", "a::e"]
        );
        assert_eq!(
            named("fn f() -> impl Sized + use<'_> { Vec::<a::B>::new() }"),
            ["Vec", "a::B"]
        );
        assert_eq!(
            named("let x = ['a', '\\'', '\"']; y::z(b'\"', r#\"q::r\"#, \"\\\"s::t\")"),
            ["y::z"]
        );
        assert_eq!(
            named("/* a::b /* c::d */ e::f */ // g::h\n<u8 as i::J>::k::<'l, r#m::N>()"),
            ["i::J", "m::N"]
        );
    }
}
