//! Every shape of function that may be a check, and that each is in the link-time list once, called or not.
#![deny(
    warnings,
    missing_docs,
    rust_2018_idioms,
    unreachable_pub,
    unused_must_use,
    unsafe_code
)]
#![allow(clippy::all, reason = "`strict.rs` is clippy's part")]

use instrument_inference::__private::{CHECKS, CheckSpec};
use instrument_inference::{Health, check, health_check, reason};
use std::sync::Arc;

struct App {
    warm: bool,
}

/// A state with a lifetime: only a `Borrowed<'static>` can be provided.
struct Borrowed<'a>(&'a str);

struct Words(String);

#[health_check]
fn nothing() {}

#[health_check]
fn a_bool() -> bool {
    true
}

#[health_check]
fn a_result() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let _: u8 = "1".parse()?;
    Ok(())
}

#[health_check]
async fn a_result_of_health() -> Result<Health, std::num::ParseIntError> {
    let free: u8 = std::future::ready("1").await.parse()?;
    Ok(if free == 0 {
        Health::fatal(reason!("disk_full"))
    } else {
        Health::up()
    })
}

#[health_check]
fn with_state(app: &App) -> Health {
    if app.warm {
        Health::up()
    } else {
        Health::degraded(reason!("cold"))
    }
}

#[health_check]
fn with_a_pattern(App { warm, .. }: &App) -> bool {
    *warm
}

#[health_check]
fn borrows_its_error(words: &Words) -> Result<(), &str> {
    Err(&words.0)
}

#[health_check]
fn with_a_lifetime(text: &Borrowed<'_>) -> bool {
    !text.0.is_empty()
}

#[health_check]
async fn with_state_async(app: &Arc<App>) -> bool {
    std::future::ready(app.warm).await
}

#[health_check]
async fn borrows_over_an_await(words: &Words) -> Result<(), &str> {
    std::future::ready(()).await;
    Err(&words.0)
}

#[health_check]
fn with_a_tuple((warm, _): &(bool, u8)) -> bool {
    *warm
}

#[health_check]
fn r#type() {}

#[health_check]
#[track_caller]
#[inline]
#[must_use]
fn with_attributes() -> bool {
    true
}

#[deprecated]
#[health_check]
fn on_its_way_out() -> bool {
    true
}

#[instrument_inference::inference_stage("preprocess")]
#[health_check]
fn measured() -> bool {
    true
}

#[health_check]
#[instrument_inference::inference_stage("preprocess")]
async fn measured_async(app: &App) -> bool {
    app.warm
}

#[cfg(any())]
#[health_check]
fn left_out() {}

#[health_check]
#[cfg(any())]
fn left_out_after() {}

#[cfg(all())]
#[cfg_attr(all(), health_check)]
fn let_in() {}

macro_rules! made {
    ($visibility:vis $name:ident, $returned:ty, $state:ty, $body:block) => {
        #[health_check]
        $visibility fn $name(_: $state) -> $returned $body
    };
}
made!(pub(self) made_here, bool, &App, { true });

mod inner {
    use instrument_inference::health_check;

    #[health_check]
    pub(super) fn in_a_module() {}

    #[health_check]
    pub(in crate::checks) async fn in_a_path() {}
}
use inner::*;

fn local() -> &'static CheckSpec {
    #[health_check]
    fn in_a_function() -> bool {
        true
    }

    let deeper = || {
        #[health_check]
        async fn in_a_closure() -> bool {
            true
        }
        check!(in_a_closure)
    };
    let _: &'static CheckSpec = deeper();
    assert!(in_a_function());
    check!(in_a_function)
}

fn name(spec: &CheckSpec) -> String {
    let shown = format!("{:?}", spec);
    let mut parts = shown.split('"');
    parts.nth(1).expect("it shows its name").to_owned()
}

#[test]
fn every_check_is_in_the_list_once() {
    let mut names: Vec<String> = CHECKS.iter().map(name).collect();
    names.sort();
    let expected = [
        "a_bool",
        "a_result",
        "a_result_of_health",
        "borrows_its_error",
        "borrows_over_an_await",
        "in_a_closure",
        "in_a_function",
        "in_a_module",
        "in_a_path",
        "let_in",
        "made_here",
        "measured",
        "measured_async",
        "nothing",
        "on_its_way_out",
        "type",
        "with_a_lifetime",
        "with_a_pattern",
        "with_a_tuple",
        "with_attributes",
        "with_state",
        "with_state_async",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_path_names_the_element_of_the_list() {
    let named = [
        check!(nothing),
        check!(self::inner::in_a_module),
        check!(in_a_module),
        check!(inner::in_a_path),
        check!(made_here),
        check!(r#type),
        check!(crate::checks::with_state_async),
        local(),
    ];
    for spec in named {
        let found = CHECKS.iter().filter(|linked| std::ptr::eq(*linked, spec));
        assert_eq!(found.count(), 1, "{:?}", spec);
    }
}

#[test]
fn where_it_stands_is_known() {
    let shown = check!(in_a_module).to_string();
    assert!(
        shown.contains("checks.rs:") && shown.ends_with("::checks::inner)"),
        "{}",
        shown
    );
}

#[test]
fn the_function_is_what_it_was() {
    nothing();
    r#type();
    let_in();
    assert!(a_bool() && measured() && with_attributes());
    assert!(a_result().is_ok());
    assert!(with_a_tuple(&(true, 1)) && with_a_pattern(&App { warm: true }));
    assert!(with_a_lifetime(&Borrowed("yes")));
    assert_eq!(borrows_its_error(&Words("no".to_owned())), Err("no"));
    assert!(made_here(&App { warm: false }));
    assert_eq!(
        with_state(&App { warm: false }).reason(),
        Some(reason!("cold"))
    );
}
