//! A check may be called as a crate or a module is, and its hidden part makes no strict crate complain.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    nonstandard_style,
    unused_qualifications
)]
#![forbid(dead_code, non_camel_case_types)]

use instrument_inference::{check, health_check};

mod tokenizer {
    pub(crate) fn words() -> usize {
        2
    }
}

/// Others may name it.
#[health_check]
pub fn tokenizer() -> bool {
    tokenizer::words() > 1
}

#[health_check]
fn serde_json() -> bool {
    serde_json::from_str::<u8>("1").is_ok()
}

#[health_check]
fn r#type() {}

#[health_check]
fn never_named() {}

macro_rules! shown {
    ($path:path) => {
        format!("{:?}", check!($path))
    };
}

mod all {
    pub(crate) mod inner {
        #[instrument_inference::health_check]
        pub(in crate::all) fn loaded() {}

        pub(crate) fn name() -> String {
            format!("{:?}", instrument_inference::check!(loaded))
        }
    }
    use inner::*;

    pub(crate) fn name() -> String {
        format!("{:?}", instrument_inference::check!(loaded))
    }
}

fn main() {
    assert!(shown!(tokenizer).contains("\"tokenizer\""));
    assert!(shown!(serde_json).contains("\"serde_json\""));
    assert!(shown!(r#type).contains("\"type\""));
    assert_eq!(all::name(), all::inner::name());
}
