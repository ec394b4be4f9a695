//! Without a prelude, among items that are called like those that the derive needs, with every lint on.
#![no_implicit_prelude]
#![deny(warnings, missing_docs, unreachable_pub)]
#![forbid(unsafe_code)]

#[allow(dead_code, non_camel_case_types)]
mod shadows {
    pub(crate) struct u32;
    pub(crate) struct str;
    pub(crate) struct Option;
    pub(crate) struct Some;
    pub(crate) struct None;
}
#[allow(unused_imports)]
use shadows::*;

#[derive(::instrument_inference::LabelValue)]
#[allow(dead_code)]
#[repr(u8)]
enum Kind {
    #[allow(non_camel_case_types)]
    r#type,
    Some,
    None,
    #[cfg(any())]
    Left {
        out: [(); 1],
    },
    #[cfg(all())]
    Kept,
    #[deprecated]
    Old,
    #[label("x")]
    Named = 7,
    Empty(),
    Braces {},
}

fn main() {
    use ::instrument_inference::LabelValue;
    use ::std::assert_eq;

    fn text(kind: &Kind) -> &::core::primitive::str {
        kind.value().unwrap()
    }
    assert_eq!(Kind::CARDINALITY, 8);
    assert_eq!((text(&Kind::r#type), Kind::r#type.index()), ("type", 0));
    assert_eq!((text(&Kind::Kept), Kind::Kept.index()), ("kept", 3));
    assert_eq!(text(&Kind::Some), "some");
    assert_eq!(text(&Kind::Named), "x");
    assert_eq!((text(&Kind::Braces {}), Kind::Braces {}.index()), ("braces", 7));
}
