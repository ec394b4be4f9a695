//! Expansions as files that people read: `tests/golden/NAME.rs` holds an annotated function, `NAME.expanded.rs` what
//! becomes of it. `UPDATE_GOLDEN=1 cargo test -p instrument-macros` writes the latter.

use proc_macro2::{TokenStream, TokenTree};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// What nearly every line begins with, and what goldens show in its place.
const PRIVATE: (&str, &str) = (":: instrument_inference :: __private ::", "P ::");

const NOTE: &str = "// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.\n\
                    // `P` stands for `::instrument_inference::__private`.\n\n";

pub(crate) fn inputs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let entries = fs::read_dir(folder).expect("the folder is part of the repository");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut inputs: Vec<_> = paths
        .filter(|path| !path.to_string_lossy().ends_with(".expanded.rs"))
        .collect();
    inputs.sort();
    inputs
}

/// The macros by name; a derive is given nothing but its item.
type Macro = fn(TokenStream, &TokenStream) -> TokenStream;
const MACROS: [(&str, Macro); 5] = [
    ("inference_stage", crate::stage::expand),
    ("inference_request", crate::request::expand),
    ("health_check", crate::health_check::expand),
    ("LabelValue", |_, item| {
        crate::label_value::expand(item.clone())
    }),
    ("Classify", |_, item| crate::classify::expand(item.clone())),
];

/// The macro that `#[NAME(ARGUMENTS)]` or `#[derive(NAME)]` names, by what is in the brackets.
fn named(attribute: TokenStream) -> Option<(Macro, TokenStream)> {
    let mut inside = attribute.into_iter();
    let (Some(TokenTree::Ident(name)), arguments) = (inside.next(), inside.next()) else {
        return None;
    };
    let arguments = match arguments {
        Some(TokenTree::Group(arguments)) => arguments.stream(),
        _ => TokenStream::new(),
    };
    let name = if name == "derive" {
        arguments.to_string()
    } else {
        name.to_string()
    };
    let (_, expand) = MACROS.iter().find(|(known, _)| *known == name)?;
    Some((*expand, arguments))
}

/// Runs the macro of every annotated item at the top of `source`.
pub(crate) fn expand(source: TokenStream) -> TokenStream {
    let mut expanded = TokenStream::new();
    let mut pending: Option<(Macro, TokenStream)> = None;
    let mut item: Vec<TokenTree> = Vec::new();
    for token in source {
        if let TokenTree::Group(group) = &token
            && let Some(found) = named(group.stream())
        {
            pending = Some(found);
            // Its `#`; attributes before it stay with the item.
            item.pop();
            continue;
        }
        let end = match &token {
            TokenTree::Group(group) => group.delimiter() == proc_macro2::Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        item.push(token);
        if end && let Some((expand, arguments)) = pending.take() {
            let item = item.drain(..).collect();
            expanded.extend(expand(arguments, &item));
        }
    }
    expanded
}

fn expanded(path: &Path) -> String {
    let source = fs::read_to_string(path).expect("a readable file");
    expand(source.parse().expect("golden inputs are made of tokens")).to_string()
}

fn pretty(path: &Path) -> String {
    let text = expanded(path).replace(PRIVATE.0, PRIVATE.1);
    let file = syn::parse_str(&text).expect("an expansion is a list of items");
    prettyplease::unparse(&file)
}

#[test]
fn expansions_are_as_reviewed() {
    let update = env::var_os("UPDATE_GOLDEN").is_some();
    for input in inputs() {
        let expanded = format!("{NOTE}{}", pretty(&input));
        let output = input.with_extension("expanded.rs");
        if update {
            fs::write(&output, &expanded).expect("a writable folder");
        }
        let reviewed = fs::read_to_string(&output).unwrap_or_default();
        assert!(
            reviewed == expanded,
            "{} differs; with UPDATE_GOLDEN=1 it becomes:\n{expanded}",
            output.display()
        );
    }
}

/// An expansion with `crate = …` must not fall back to the usual path anywhere.
#[test]
fn no_default_path_leaks_beside_a_given_one() {
    let path = inputs()
        .into_iter()
        .find(|path| path.ends_with("crate_path.rs"))
        .expect("the golden of `crate = …`");
    let expanded = expanded(&path);
    assert!(!expanded.contains("instrument_inference"), "{expanded}");
}
