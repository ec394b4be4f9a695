//! What is wrong with a body is said with an attribute as without: in the same words, on the same columns.

use crate::compiler::{self, Finding};
use std::collections::BTreeSet;

const HEAD: &str = "use instrument_inference::{inference_request, inference_stage};\n\
    use std::{cell::Cell, future::Future, pin::Pin, rc::Rc};\n\
    pub async fn tick() {}\npub fn take<T>(_: T) {}\npub fn sent<T: Send>(_: T) {}\n\
    pub struct Model { name: String, tokens: Vec<u32> }\npub struct Opaque;\n";

/// Each is a text of its own, since rustc stops at the first kind of mistake. `@` is the attribute.
const MISTAKES: &[(&str, &str)] = &[
    (
        "mismatch_in_the_body",
        "@\nfn f(x: u8) -> u8 {\n    let y: String = x;\n    y.len() as u8\n}",
    ),
    (
        "mismatch_in_the_body_later",
        "@\nasync fn f(x: u8) -> u8 {\n    tick().await;\n    let y: String = x;\n    1\n}",
    ),
    (
        "tail",
        "@\nfn f(x: u8) -> u32 {\n    take(x);\n    \"x\"\n}",
    ),
    (
        "tail_later",
        "@\nasync fn f(x: u8) -> u32 {\n    take(x);\n    \"x\"\n}",
    ),
    (
        "tail_hidden",
        "@\nfn f(x: u8) -> impl Iterator<Item = u8> {\n    take(x);\n    1_u8\n}",
    ),
    (
        "tail_boxed",
        "@\nfn f(x: u8) -> Pin<Box<dyn Future<Output = u8>>> {\n    Box::pin(async move { take(x); \"x\" })\n}",
    ),
    (
        "return",
        "@\nfn f(x: u8) -> u32 {\n    if x > 1 { return \"x\"; }\n    1\n}",
    ),
    (
        "return_later",
        "@\nasync fn f(x: u8) -> u32 {\n    if x > 1 { return \"x\"; }\n    1\n}",
    ),
    ("missing_tail", "@\nfn f(x: u8) -> u32 {\n    take(x);\n}"),
    (
        "missing_tail_later",
        "@\nasync fn f(x: u8) -> u32 {\n    take(x);\n}",
    ),
    (
        "semicolon_too_many",
        "@\nfn f(x: u8) -> u8 {\n    x + 1;\n}",
    ),
    ("unit_expected", "@\nfn f(x: u8) {\n    x\n}"),
    ("unit_expected_later", "@\nasync fn f(x: u8) {\n    x\n}"),
    (
        "question_mark",
        "@\nfn f(x: &str) {\n    let y: u8 = x.parse()?;\n    take(y);\n}",
    ),
    (
        "question_mark_later",
        "@\nasync fn f(x: &str) {\n    let y: u8 = x.parse()?;\n    take(y);\n}",
    ),
    (
        "question_mark_of_another_error",
        "@\nfn f(x: &str) -> Result<u8, Opaque> {\n    let y: u8 = x.parse()?;\n    Ok(y)\n}",
    ),
    (
        "question_mark_of_another_error_later",
        "@\nasync fn f(x: &str) -> Result<u8, Opaque> {\n    let y: u8 = x.parse()?;\n    Ok(y)\n}",
    ),
    (
        "missing_trait",
        "@\nfn f(x: Opaque) -> String {\n    format!(\"{x}\")\n}",
    ),
    (
        "missing_trait_of_generic",
        "@\nfn f<T>(x: &T) -> T {\n    x.clone()\n}",
    ),
    (
        "missing_method",
        "@\nfn f(x: Opaque) -> String {\n    x.name()\n}",
    ),
    (
        "missing_field_later",
        "impl Model {\n@\nasync fn f(&self) -> u8 {\n    self.nothing\n}\n}",
    ),
    ("unknown_name", "@\nfn f(x: u8) -> u8 {\n    x + nothing\n}"),
    ("unknown_type", "@\nfn f(x: Nothing) -> u8 {\n    1\n}"),
    (
        "unknown_type_returned_later",
        "@\nasync fn f(x: u8) -> Nothing {\n    1\n}",
    ),
    (
        "moved",
        "@\nfn f(x: String) -> usize {\n    take(x);\n    x.len()\n}",
    ),
    (
        "moved_later",
        "@\nasync fn f(x: String) -> usize {\n    take(x);\n    x.len()\n}",
    ),
    (
        "moved_out_of_a_reference",
        "@\nfn f(x: &Model) -> String {\n    x.name\n}",
    ),
    (
        "moved_out_of_self",
        "impl Model {\n@\nfn f(&self) -> String {\n    self.name\n}\n}",
    ),
    (
        "borrowed_twice",
        "@\nfn f(mut x: Vec<u8>) -> usize {\n    let y = &mut x;\n    x.push(1);\n    y.len()\n}",
    ),
    (
        "borrowed_twice_later",
        "@\nasync fn f(mut x: Vec<u8>) -> usize {\n    let y = &mut x;\n    x.push(1);\n    y.len()\n}",
    ),
    ("not_mutable", "@\nfn f(x: &Vec<u8>) {\n    x.push(1);\n}"),
    (
        "not_mutable_later",
        "@\nasync fn f(x: &Vec<u8>) {\n    x.push(1);\n}",
    ),
    (
        "binding_not_mutable",
        "@\nfn f(x: Vec<u8>) {\n    x.push(1);\n}",
    ),
    (
        "self_not_mutable",
        "impl Model {\n@\nfn f(&self) {\n    self.tokens.push(1);\n}\n}",
    ),
    (
        "local_returned",
        "@\nfn f<'a>() -> &'a str {\n    let x = String::new();\n    &x\n}",
    ),
    (
        "argument_returned",
        "@\nfn f<'a>(x: String) -> &'a str {\n    &x\n}",
    ),
    (
        "argument_returned_later",
        "@\nasync fn f<'a>(x: String) -> &'a str {\n    &x\n}",
    ),
    (
        "wrong_lifetime",
        "@\nfn f<'a, 'b>(x: &'a str, y: &'b str) -> &'a str {\n    take(x);\n    y\n}",
    ),
    (
        "wrong_lifetime_later",
        "@\nasync fn f<'a, 'b>(x: &'a str, y: &'b str) -> &'a str {\n    take(x);\n    y\n}",
    ),
    (
        "await_of_no_future",
        "@\nasync fn f(x: u8) -> u8 {\n    x.await\n}",
    ),
    (
        "await_in_no_async",
        "@\nfn f(x: u8) -> u8 {\n    tick().await;\n    x\n}",
    ),
    (
        "forgotten_await",
        "@\nasync fn f(x: u8) -> u8 {\n    let y: u8 = std::future::ready(x);\n    y\n}",
    ),
    (
        "not_send",
        "@\nasync fn f() {\n    let x = Rc::new(1);\n    tick().await;\n    take(x);\n}\npub fn g() {\n    sent(f());\n}",
    ),
    (
        "not_send_hidden",
        "@\nfn f() -> impl Future<Output = ()> + Send {\n    async move {\n    let x = Rc::new(1);\n    tick().await;\n    take(x);\n    }\n}",
    ),
    (
        "not_send_boxed",
        "@\nfn f() -> Pin<Box<dyn Future<Output = ()> + Send>> {\n    Box::pin(async move {\n    let x = Rc::new(1);\n    tick().await;\n    take(x);\n    })\n}",
    ),
    (
        "not_send_argument",
        "@\nasync fn f(x: Rc<u8>) {\n    tick().await;\n    take(x);\n}\npub fn g() {\n    sent(f(Rc::new(1)));\n}",
    ),
    (
        "not_sync",
        "@\nasync fn f(x: &Cell<u8>) {\n    tick().await;\n    take(x);\n}\npub fn g(x: &Cell<u8>) {\n    sent(f(x));\n}",
    ),
    (
        "unsafe_call",
        "unsafe fn danger() {}\n@\nfn f() {\n    danger();\n}",
    ),
    (
        "arguments_of_a_call",
        "@\nfn f(x: u8) -> u8 {\n    take(x, x);\n    x\n}",
    ),
    (
        "match_not_exhaustive",
        "@\nfn f(x: Option<u8>) -> u8 {\n    match x { Some(x) => x }\n}",
    ),
    ("break_outside", "@\nfn f(x: u8) -> u8 {\n    break;\n}"),
    (
        "half_typed_field",
        "impl Model {\n@\nfn f(&self) -> usize {\n    self.\n}\n}\npub fn g(x: &Model) -> usize { x.f() }",
    ),
    (
        "half_typed_let",
        "@\nasync fn f(x: u8) -> u8 {\n    let y = \n}\npub fn g() { take(f(1)); }",
    ),
    (
        "half_typed_call",
        "@\nfn f(x: u8) -> u8 {\n    take(x).\n    x\n}\npub fn g() { take(f(1)); }",
    ),
    (
        "generic_not_inferred",
        "@\nfn f(x: u8) -> u8 {\n    let y = Vec::new();\n    x\n}",
    ),
    (
        "called_wrongly",
        "@\nfn f(x: u8) -> u8 {\n    x\n}\npub fn g() {\n    f(\"x\");\n}",
    ),
    (
        "not_as_the_trait_says",
        "trait T { fn f(&self, x: u8) -> u8; }\nimpl T for Model {\n@\nfn f(&self, x: u16) -> u8 {\n    1\n}\n}",
    ),
    (
        "refutable_parameter",
        "@\nfn f(Some(x): Option<u8>) -> u8 {\n    x\n}",
    ),
    (
        "same_parameter_twice",
        "@\nfn f(x: u8, x: u8) -> u8 {\n    x\n}",
    ),
    (
        "endless_type",
        "@\nasync fn f(x: u8) -> u8 {\n    f(x).await\n}",
    ),
];

const ATTRIBUTES: [(&str, &str); 2] = [
    ("stage", "#[inference_stage(\"execute\")]"),
    ("request", "#[inference_request]"),
];

/// Where the words differ, and no place does: the body is a closure or a block inside, or is read twice.
const OTHER_WORDS: [&str; 9] = [
    "question_mark",
    "question_mark_later",
    "moved_out_of_a_reference",
    "moved_out_of_self",
    "not_mutable",
    "not_mutable_later",
    "self_not_mutable",
    "argument_returned",
    "break_outside",
];

/// Where the attribute, or the same place, gives rise to one more.
const ONE_MORE: [&str; 2] = ["tail_boxed", "same_parameter_twice"];

fn said(name: &str, attribute: &str, text: &str) -> BTreeSet<Finding> {
    let text = format!("{HEAD}{}\n", text.replace('@', attribute));
    let found = compiler::check(&format!("errors_{name}"), &["--edition", "2024"], &text);
    let errors = found.into_iter().filter(|finding| finding.level == "error");
    errors.collect()
}

#[test]
fn mistakes_in_a_body_read_as_without_an_attribute() {
    let mut different = Vec::new();
    for (name, text) in MISTAKES {
        let plain = said("plain", "", text);
        assert!(!plain.is_empty(), "{name} is no mistake");
        for (kind, attribute) in ATTRIBUTES {
            let measured = said(kind, attribute, text);
            let places = |found: &BTreeSet<Finding>| -> Vec<_> {
                let places = found
                    .iter()
                    .map(|finding| (finding.line, finding.underlined));
                places.collect()
            };
            let same = if OTHER_WORDS.contains(name) {
                places(&measured) == places(&plain) && measured != plain
            } else if ONE_MORE.contains(name) {
                places(&plain)
                    .iter()
                    .all(|place| places(&measured).contains(place))
                    && measured.len() > plain.len()
            } else {
                measured == plain
            };
            if !same {
                different.push(format!(
                    "{kind} {name}:\n  plain    {plain:?}\n  measured {measured:?}"
                ));
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
