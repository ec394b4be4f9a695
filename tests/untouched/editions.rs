//! What is generated means the same in each edition, also where there is no prelude of crates, and from a macro of another
//! crate.

use crate::compiler;

const TEXT: &str = r#"
extern crate instrument_inference;
use instrument_inference::{Classify, LabelValue, health_check, inference_request, inference_stage};
use std::future::Future;
use std::pin::Pin;

#[inference_stage("execute", labels(kind = kind), buckets = [0.1, 0.2], objective = "150ms")]
pub fn value(text: &str, kind: Kind) -> Result<u8, Box<std::error::Error>> { Ok(text.parse()?) }

#[inference_stage("execute")]
pub fn future(x: u8) -> impl Future<Output = u8> { std::future::ready(x) }

#[inference_stage("execute")]
pub fn boxed(x: u8) -> Pin<Box<Future<Output = u8> + Send>> { Box::pin(std::future::ready(x)) }

#[inference_stage("execute", batch = 2)]
pub fn batch(x: u8) -> Vec<Result<u8, String>> { vec![Ok(x)] }

#[inference_request(ingress = "http")]
pub fn request(bytes: &mut Vec<u8>) -> &mut u8 { &mut bytes[0] }

#[health_check]
pub fn check(x: &u8) -> bool { *x == 1 }

#[derive(Clone, Copy, LabelValue)]
pub enum Kind { Text, Image }

#[derive(Classify)]
pub enum Failed { #[classify(internal)] Inside }

pub mod inner {
    use instrument_inference::inference_stage;

    #[inference_stage("execute")]
    pub fn never() -> ! { panic!("x") }

    pub trait Step {
        #[inference_stage("execute")]
        #[track_caller]
        fn step(&self, _: Vec<u8>) -> u8 { 1 }
    }
}
"#;

#[test]
fn a_crate_may_be_as_old_as_2015() {
    let options = ["--edition", "2015", "-A", "bare_trait_objects"];
    let found = compiler::check("edition_2015", &options, TEXT);
    assert!(found.is_empty(), "{found:#?}");
}

const MACROS: &str = r"
pub use instrument_inference as facade;

#[macro_export]
macro_rules! functions {
    ($name:literal, $stage:ident, $request:ident, $check:ident, $kind:ident { $($variant:ident)* }) => {
        #[derive(Clone, Copy, $crate::facade::LabelValue)]
        #[label(crate = $crate::facade)]
        pub enum $kind { $($variant),* }

        #[$crate::facade::inference_stage($name, labels(kind = kind), crate = $crate::facade)]
        pub fn $stage(kind: $kind) -> Result<u8, String> { Ok(1) }

        #[$crate::facade::inference_request(labels(kind = kind), crate = $crate::facade)]
        pub async fn $request(kind: $kind) -> Result<u8, String> { Ok(1) }

        #[$crate::facade::health_check(crate = $crate::facade)]
        pub fn $check() -> bool { true }
    };
}
";

#[test]
fn a_macro_of_another_crate_brings_its_own_facade_along() {
    let options = ["--edition", "2024", "--crate-name", "other"];
    let found = compiler::check("other", &options, MACROS);
    assert!(found.is_empty(), "{found:#?}");
    let other = concat!(
        "other=",
        env!("CARGO_TARGET_TMPDIR"),
        "/other/libother.rmeta"
    );
    let options = ["--edition", "2024", "--extern", other];
    let text = "mod facade {}\nmod instrument_inference {}\n\
                other::functions!(\"rerank\", rerank, predict, warm, Kind { Text Image });";
    let found = compiler::check("user", &options, text);
    assert!(found.is_empty(), "{found:#?}");
}
