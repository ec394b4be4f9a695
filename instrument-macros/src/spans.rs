//! Every token of the user's comes back with its own span, and nothing of ours stands at a user's span, except where
//! rustc is to point at what is wrong. Asked of all golden inputs.

use crate::golden::{expand, inputs};
use proc_macro2::{LineColumn, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Tokens by where they stand; those at no place of the source are left out.
type Places = BTreeMap<(usize, usize), BTreeSet<String>>;

fn insert(place: LineColumn, text: String, found: &mut Places) {
    if (place.line, place.column) > (1, 0) {
        let here = found.entry((place.line, place.column));
        here.or_default().insert(text);
    }
}

fn places(tokens: TokenStream, found: &mut Places) {
    for token in tokens {
        match &token {
            TokenTree::Group(group) => {
                let text = group.to_string();
                if let (Some(open), Some(close)) = (text.chars().next(), text.chars().last()) {
                    insert(group.span_open().start(), open.to_string(), found);
                    insert(group.span_close().start(), close.to_string(), found);
                }
                places(group.stream(), found);
            }
            leaf => insert(leaf.span().start(), leaf.to_string(), found),
        }
    }
}

/// The functions of a file, and what their attributes make of them. A line before moves the first token from the place
/// that spans without a place have.
fn read(path: &std::path::Path) -> (Places, Places) {
    let text = fs::read_to_string(path).expect("a readable file");
    let source: TokenStream = format!("\n{text}")
        .parse()
        .expect("golden inputs are made of tokens");
    let (mut user, mut expanded) = (Places::new(), Places::new());
    places(source.clone(), &mut user);
    places(expand(source), &mut expanded);
    (user, expanded)
}

fn measured() -> impl Iterator<Item = std::path::PathBuf> {
    inputs().into_iter().filter(|path| {
        let text = fs::read_to_string(path).expect("a readable file");
        text.contains("#[inference_")
            && !path.ends_with("mistakes.rs")
            && !path.ends_with("crate_path.rs")
    })
}

#[test]
fn every_token_of_a_function_comes_back_in_its_place() {
    for path in measured() {
        let (user, expanded) = read(&path);
        let text = fs::read_to_string(&path).expect("a readable file");
        let attributes: BTreeSet<usize> = (2..)
            .zip(text.lines())
            .filter(|(_, line)| line.contains("inference_"))
            .map(|(number, _)| number)
            .collect();
        for (place, tokens) in &user {
            let came = expanded
                .get(place)
                .is_some_and(|came| came.is_superset(tokens));
            // There is nothing that it names.
            let wild = tokens.iter().all(|token| token == "_");
            assert!(
                came || wild || attributes.contains(&place.0),
                "{}: {tokens:?} at {place:?} became {:?}",
                path.display(),
                expanded.get(place)
            );
        }
    }
}

/// What stands where the user wrote something else: paths and calls on what they check, a name that only the macro can
/// read on its parameter, the value on the end of the body.
#[test]
fn nothing_of_ours_stands_in_a_body() {
    for path in measured() {
        let (user, expanded) = read(&path);
        let text = fs::read_to_string(&path).expect("a readable file");
        for ((line, column), tokens) in &expanded {
            let written = text.lines().nth(line - 2).unwrap_or_default();
            let ours: BTreeSet<_> = match user.get(&(*line, *column)) {
                Some(user) => tokens.difference(user).collect(),
                None => tokens.iter().collect(),
            };
            let checked = written.contains("inference_") || written.contains("fn ");
            let last = ours.iter().all(|token| *token == "__r");
            assert!(
                checked || last,
                "{}: {ours:?} at {line}:{column}: {written}",
                path.display()
            );
        }
    }
}
