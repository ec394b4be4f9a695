//! Names of the user, names of the expansion, and what comes out of the user's own macros.

use crate::probe::{block, counts, pause, start};
use instrument_inference::inference_stage;
use std::future::Future;
use std::pin::Pin;

mod shadow {
    pub(crate) type Number = u8;
    #[allow(unused)]
    pub(crate) enum Result {
        Ok,
        Err,
    }
    #[allow(unused)]
    pub(crate) struct Probe;
}

#[inference_stage("execute")]
fn own_static() -> u8 {
    static __SITE: u8 = 3;
    __SITE
}

#[inference_stage("execute")]
fn own_items() -> u8 {
    use self::shadow::*;
    fn helper() -> Number {
        4
    }
    helper()
}

#[allow(non_snake_case)]
#[inference_stage("execute")]
fn hostile_names(
    caller: u8,
    guard: u8,
    result: u8,
    __r: u8,
    __site: u8,
    __SITE: u8,
    __arguments: u8,
) -> u8 {
    let __guard = 1;
    caller + guard + result + __r + __site + __SITE + __arguments + __guard
}

#[allow(non_snake_case)]
#[inference_stage("execute")]
async fn hostile_names_async(__r: u8, __SITE: u8, __guard: u8) -> u8 {
    use self::shadow::*;
    let sum: Number = __r + __SITE + __guard;
    sum
}

mod no_prelude {
    #![no_implicit_prelude]
    #![allow(non_camel_case_types, unused)]
    use ::instrument_inference::inference_stage;
    pub(crate) struct core;
    pub(crate) struct std;
    pub(crate) struct Site;
    pub(crate) struct Option;
    pub(crate) struct Box;
    pub(crate) trait Future {}
    pub(crate) mod instrument_inference {}
    pub(crate) enum Result {
        Ok,
        Err,
    }
    use self::Result::{Err, Ok};

    #[inference_stage("execute")]
    pub(crate) fn a(x: u8) -> Result {
        if x == 1 {
            return Ok;
        }
        Err
    }

    #[inference_stage("execute", labels(flag = *x == 1, literal = "y"))]
    pub(crate) async fn b(x: &u8) -> Result {
        if *x == 1 {
            return Ok;
        }
        Err
    }

    #[inference_stage("execute")]
    pub(crate) fn c() -> ::std::result::Result<u8, ::std::string::String> {
        ::std::result::Result::Ok(1)
    }

    #[inference_stage("execute")]
    pub(crate) fn d() -> ::std::pin::Pin<::std::boxed::Box<dyn ::std::future::Future<Output = u8>>>
    {
        ::std::boxed::Box::pin(async { 1 })
    }
}

macro_rules! whole {
    ($(#[$m:meta])* $v:vis fn $n:ident($($a:ident: $t:ty),*) -> $r:ty $b:block) => {
        #[inference_stage("execute")] $(#[$m])* $v fn $n($($a: $t),*) -> $r $b
    };
}
whole! {
    #[inline]
    pub(crate) fn made(a: &str, b: Vec<u8>) -> Result<(u32, Vec<u8>), std::num::ParseIntError> {
        let x = a.parse()?;
        Ok((x, b))
    }
}
macro_rules! parts {
    ($n:ident, $r:ty, $b:block) => {
        #[inference_stage("execute")]
        async fn $n(_a: u8) -> $r $b
    };
}
parts!(made_async, Result<u8, String>, {
    pause().await;
    Err("x".to_string())
});
macro_rules! future {
    ($n:ident, $r:ty, $e:expr) => {
        #[inference_stage("execute")]
        fn $n() -> $r {
            $e
        }
    };
}
future!(
    made_future,
    Pin<Box<dyn Future<Output = u8>>>,
    Box::pin(async { 1 })
);
macro_rules! item {
    ($i:item) => {
        #[inference_stage("execute")]
        $i
    };
}
item! {
    fn made_item(a: u8) -> u8 {
        a
    }
}
macro_rules! arguments {
    ($name:literal, $flag:expr, $edge:literal) => {
        #[inference_stage($name, labels(flag = $flag), buckets = [$edge])]
        fn made_arguments() {}
    };
}
arguments!("preprocess", !false, 0.5);

mod alias {
    pub(crate) type Result<T> = Option<T>;
    pub(crate) type Outcome = std::result::Result<u8, std::string::String>;
}

#[inference_stage("execute")]
fn result_that_is_an_option() -> alias::Result<u8> {
    None
}

#[inference_stage("execute")]
fn alias_of_a_result() -> alias::Outcome {
    Err("x".into())
}

#[test]
fn names_do_not_meet() {
    let _test = start();
    assert_eq!(own_static(), 3);
    assert_eq!(own_items(), 4);
    assert_eq!(hostile_names(1, 1, 1, 1, 1, 1, 1), 8);
    assert_eq!(block(hostile_names_async(1, 2, 3)), 6);
    assert_eq!(counts(), "execute:ok=4");
    let _ = no_prelude::a(2);
    let _ = block(no_prelude::b(&1));
    let _ = no_prelude::c();
    block(no_prelude::d());
    assert!(made("1", vec![]).is_ok());
    assert!(made("x", vec![]).is_err());
    assert!(block(made_async(1)).is_err());
    assert_eq!(block(made_future()), 1);
    assert_eq!(made_item(1), 1);
    made_arguments();
    assert_eq!(counts(), "execute:error=2 execute:ok=7 preprocess:ok=1");
}

#[test]
fn types_decide_and_not_their_names() {
    let _test = start();
    assert!(result_that_is_an_option().is_none());
    assert!(alias_of_a_result().is_err());
    assert_eq!(counts(), "execute:error=1 execute:ok=1");
}
