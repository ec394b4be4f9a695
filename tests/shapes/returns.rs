//! Where `impl Trait` may stand in what is returned, and by which ABI a function may be called.

use crate::probe::{BoxFuture, block, counts, start};
use instrument_inference::inference_stage;
use std::future::Future;
use std::pin::Pin;

#[inference_stage("execute")]
extern "system" fn system(a: u8) -> u8 {
    a
}

#[inference_stage("execute")]
extern "C-unwind" fn unwinding(a: u8) -> u8 {
    a
}

#[inference_stage("execute")]
extern "Rust" fn rust(a: u8) -> u8 {
    a
}

#[inference_stage("execute")]
pub unsafe extern "C" fn unsafe_c(a: *const u8) -> u8 {
    unsafe { *a }
}

#[allow(improper_ctypes_definitions)]
#[inference_stage("execute")]
async unsafe extern "C" fn async_unsafe(a: *const u8) -> u8 {
    unsafe { *a }
}

#[inference_stage("execute")]
extern "C" fn raw_text(a: u8) -> u8 {
    a
}

#[inference_stage("execute")]
unsafe extern "C" fn never(a: u8) -> ! {
    panic!("{}", a)
}

mod unsafe_ops {

    #![allow(unsafe_op_in_unsafe_fn)]

    use super::*;

    #[inference_stage("execute")]
    unsafe fn a(p: *const u8) -> u8 {
        *p
    }

    #[inference_stage("execute")]
    async unsafe fn b(p: *const u8) -> u8 {
        *p
    }

    #[inference_stage("execute")]
    unsafe fn c(p: *const u8) -> impl Sized {
        *p
    }

    #[inference_stage("execute")]
    unsafe fn d(p: *const u8) -> impl Future<Output = u8> {
        let v = *p;
        async move { v }
    }

    #[inference_stage("execute")]
    unsafe fn e(p: *const u8) -> BoxFuture<'static, u8> {
        let v = *p;
        Box::pin(async move { v })
    }

    #[inference_stage("execute")]
    unsafe fn f(p: *const u8) -> BoxFuture<'static, u8> {
        let v = *p;
        if v == 1 {
            return Box::pin(async move { v });
        }
        Box::pin(async move { v })
    }

    #[inference_stage("execute")]
    #[track_caller]
    unsafe fn g(p: *const u8) -> u8 {
        *p
    }

    #[inference_stage("execute")]
    unsafe fn h(p: *const u8) -> ! {
        let _x = *p;
        panic!()
    }
}

#[inference_stage("execute")]
fn infallible() -> Result<std::convert::Infallible, String> {
    Err("x".into())
}

#[inference_stage("execute")]
fn i1() -> impl Iterator<Item = impl Iterator<Item = impl ToString>> {
    vec![vec![1]].into_iter().map(|v| v.into_iter())
}

#[inference_stage("execute")]
fn i2<'a>(v: &'a [u8]) -> Box<dyn Iterator<Item = impl ToString + 'a> + 'a> {
    Box::new(v.iter())
}

#[inference_stage("execute")]
fn i3() -> [impl Fn(u8) -> u8; 1] {
    [|x| x]
}

#[inference_stage("execute")]
fn i4(n: u8) -> Option<impl Fn(&str) -> usize> {
    Some(move |s: &str| s.len() + n as usize)
}

#[inference_stage("execute")]
fn i5() -> impl Fn(&str) -> &str {
    |s| s
}

#[inference_stage("execute")]
fn i6() -> impl for<'a> Fn(&'a str) -> &'a str {
    |s| s
}

#[inference_stage("execute")]
fn i7(a: u8) -> impl FnMut(&mut Vec<u8>) -> usize {
    move |v| {
        v.push(a);
        v.len()
    }
}

#[inference_stage("execute")]
fn i8() -> Box<dyn Fn(&str) -> &str> {
    Box::new(|s| s)
}

#[inference_stage("execute")]
fn i9() -> Result<impl Fn(&str) -> usize, Box<dyn std::error::Error>> {
    let _x: u8 = "1".parse()?;
    Ok(|s: &str| s.len())
}

#[inference_stage("execute")]
async fn i11() -> Box<dyn Fn(&str) -> &str> {
    Box::new(|s| s)
}

#[inference_stage("execute")]
fn i12() -> impl Future<Output = impl Fn(&str) -> usize> {
    async { |s: &str| s.len() }
}

#[inference_stage("execute")]
fn i14() -> Vec<impl Fn(&u8) -> u8> {
    vec![|x: &u8| *x]
}

#[inference_stage("execute")]
fn i15() -> impl Fn() -> Pin<Box<dyn Future<Output = u8>>> {
    || Box::pin(async { 1 })
}

#[inference_stage("execute")]
#[track_caller]
fn i16() -> impl Fn(&str) -> &str {
    |s| s
}

#[test]
fn hidden_types_come_back_as_they_are() {
    let _test = start();
    assert_eq!(i1().flatten().count(), 1);
    assert_eq!(i2(&[1]).count(), 1);
    assert_eq!(i3()[0](1), 1);
    assert_eq!(i4(1).map(|f| f("a")), Some(2));
    assert_eq!((i5()("a"), i6()("b"), i8()("c")), ("a", "b", "c"));
    assert_eq!(i7(1)(&mut Vec::new()), 1);
    assert!(i9().is_ok());
    assert_eq!(block(i11())("d"), "d");
    assert_eq!(block(i12())("e"), 1);
    assert_eq!(i14()[0](&1), 1);
    assert_eq!(block(i15()()), 1);
    assert_eq!(i16()("f"), "f");
    assert_eq!(counts(), "execute:ok=14");
}

#[test]
fn a_panic_before_the_closure_is_one() {
    #[inference_stage("execute")]
    fn made(length: usize) -> impl Fn(&[u8]) -> &[u8] {
        let first = [1, 2][length];
        move |values| &values[first..]
    }
    let _test = start();
    assert_eq!(made(0)(&[1, 2]), [2]);
    assert!(std::panic::catch_unwind(|| made(3)(&[]).len()).is_err());
    assert_eq!(counts(), "execute:ok=1 execute:panicked=1");
}
