//! How deep annotated functions call each other before the compiler gives up, and how deep they recurse.

use crate::compiler;
use instrument_inference::{inference_request, inference_stage};
use std::fmt::Write;

/// Functions that await each other, with the attribute of each, from the lowest on.
fn tower(attributes: &[&str], limit: Option<u16>) -> String {
    let limit = limit.map(|limit| format!("#![recursion_limit = \"{limit}\"]\n"));
    let mut text = limit.unwrap_or_default();
    text += "use instrument_inference::{inference_request, inference_stage};\n\
             async fn floor(_: &[u8]) -> Result<u32, String> { std::future::ready(Ok(0)).await }\n\
             fn sent<T: Send>(value: T) -> usize { size_of_val(&value) }\n";
    let mut below = "floor".to_owned();
    for (level, attribute) in attributes.iter().enumerate() {
        let _ = writeln!(
            text,
            "{attribute} pub async fn f{level}(x: &[u8]) -> Result<u32, String> {{ Ok({below}(x).await? + 1) }}"
        );
        below = format!("f{level}");
    }
    text + &format!("pub fn top() -> usize {{ sent({below}(&[])) }}\n")
}

/// The same as methods of traits.
fn boxed_tower(depth: usize, attribute: &str) -> String {
    let mut text = "use instrument_inference::inference_stage;\nstruct A;\n".to_owned();
    let mut body = "std::future::ready(Ok(0)).await".to_owned();
    for level in 0..depth {
        let _ = writeln!(
            text,
            "#[async_trait::async_trait] trait T{level} {{ {attribute} async fn f{level}(&self, x: &[u8]) -> Result<u32, String> {{ {body} }} }}\n\
             #[async_trait::async_trait] impl T{level} for A {{}}"
        );
        body = format!("Ok(A.f{level}(x).await? + 1)");
    }
    text + &format!("pub async fn top(x: &[u8]) -> Result<u32, String> {{ {body} }}\n")
}

/// Types are laid out only where code is made.
fn compiles(name: &str, text: &str) -> bool {
    let options = ["--edition", "2024", "--emit", "obj", "-A", "warnings"];
    compiler::check(name, &options, text).is_empty()
}

const STAGE: &str = "#[inference_stage(\"execute\")]";
const REQUEST: &str = "#[inference_request]";

#[test]
fn stages_nest_as_deep_as_spans_of_tracing() {
    let reaches = |attribute, depth| compiles("depth", &tower(&vec![attribute; depth], None));
    let spans = "#[tracing::instrument(skip_all)]";
    let (mut deep, mut too_deep) = (1, 64);
    while too_deep - deep > 1 {
        let middle = usize::midpoint(deep, too_deep);
        if reaches(spans, middle) {
            deep = middle;
        } else {
            too_deep = middle;
        }
    }
    assert!((8..63).contains(&deep), "a limit was found: {deep}");
    assert!(reaches(STAGE, deep), "stages are less deep than {deep}");
    assert!(reaches(REQUEST, deep), "requests are less deep than {deep}");
}

#[test]
fn sixty_four_layers_compile_with_a_limit_of_512() {
    let mut attributes = [STAGE; 64];
    let stages = tower(&attributes, Some(512));
    attributes[63] = REQUEST;
    let in_a_request = tower(&attributes, Some(512));
    assert!(compiles("depth_stages", &stages));
    assert!(compiles("depth_in_a_request", &in_a_request));
}

#[test]
fn boxes_of_async_trait_nest_without_limit() {
    assert!(compiles("depth_boxed", &boxed_tower(64, STAGE)));
}

macro_rules! functions {
    ($(#[$attribute:meta])*) => {
        $(#[$attribute])*
        pub(super) fn recursion(depth: u32, top: usize) -> usize {
            let here = 0_u8;
            let here = std::ptr::from_ref(&here) as usize;
            if depth == 0 { top - here } else { recursion(depth - 1, top.max(here)) }
        }

        $(#[$attribute])*
        #[async_recursion::async_recursion]
        pub(super) async fn later(depth: u32) -> u32 {
            if depth == 0 { 0 } else { later(depth - 1).await + 1 }
        }
    };
}

mod untouched {
    functions!();
}

mod stage {
    use super::inference_stage;
    functions!(#[inference_stage("execute")]);
}

mod request {
    use super::inference_request;
    functions!(#[inference_request(root)]);
}

/// With the stack that threads have by default, whatever the environment says.
fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(work);
    thread.expect("a thread starts").join().expect("no panic")
}

#[test]
fn recursion_takes_little_more_stack() {
    const DEPTH: u32 = 1_000;
    let plain = on_a_thread(|| untouched::recursion(DEPTH, 0)) / DEPTH as usize;
    let stage = on_a_thread(|| stage::recursion(DEPTH, 0)) / DEPTH as usize;
    let request = on_a_thread(|| request::recursion(DEPTH, 0)) / DEPTH as usize;
    eprintln!("bytes of stack: {plain}, with a stage {stage}, with a request {request}");
    assert!(stage <= plain + 1024, "{stage} bytes instead of {plain}");
    assert!(
        request <= plain + 1024,
        "{request} bytes instead of {plain}"
    );
}

#[test]
fn ten_thousand_calls_deep_is_not_too_deep() {
    on_a_thread(|| stage::recursion(10_000, 0) + request::recursion(10_000, 0));
    on_a_thread(|| {
        use futures::executor::block_on;
        let later = [
            block_on(untouched::later(2_000)),
            block_on(stage::later(2_000)),
            block_on(request::later(2_000)),
        ];
        assert_eq!(later, [2_000; 3]);
    });
}
