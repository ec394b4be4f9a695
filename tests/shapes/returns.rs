//! What a function may return, and by which ABI it may be called.

use crate::probe::{BoxFuture, block, counts, pause, start};
use instrument_inference::{inference_request, inference_stage};
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

#[inference_stage("execute")] extern "system" fn abi1(a: u8) -> u8 { a }
#[inference_stage("execute")] extern "C-unwind" fn abi2(a: u8) -> u8 { a }
#[inference_stage("execute")] extern "Rust" fn abi3(a: u8) -> u8 { a }
#[inference_stage("execute")] pub unsafe extern "C" fn abi5(a: *const u8) -> u8 { unsafe { *a } }
#[inference_stage("execute")] async unsafe extern "C" fn abi6(a: *const u8) -> u8 { unsafe { *a } }
#[inference_stage("execute")] extern r"C" fn abi7(a: u8) -> u8 { a }
#[inference_stage("execute")] unsafe extern "C" fn abi8(a: u8) -> ! { panic!("{a}") }
// unsafe op in unsafe fn without block under a crate that allows it
mod unsafe_ops { #![allow(unsafe_op_in_unsafe_fn)] use super::*;
  #[inference_stage("execute")] unsafe fn a(p: *const u8) -> u8 { *p }
  #[inference_stage("execute")] async unsafe fn b(p: *const u8) -> u8 { *p }
  #[inference_stage("execute")] unsafe fn c(p: *const u8) -> impl Sized { *p }
  #[inference_stage("execute")] unsafe fn d(p: *const u8) -> impl Future<Output = u8> { let v = *p; async move { v } }
  #[inference_stage("execute")] unsafe fn e(p: *const u8) -> BoxFuture<'static, u8> { let v = *p; Box::pin(async move { v }) }
  #[inference_stage("execute")] unsafe fn f(p: *const u8) -> BoxFuture<'static, u8> { let v = *p; if v == 1 { return Box::pin(async move { v }) } Box::pin(async move { v }) }
  #[inference_stage("execute")] #[track_caller] unsafe fn g(p: *const u8) -> u8 { *p }
  #[inference_stage("execute")] unsafe fn h(p: *const u8) -> ! { let _x = *p; panic!() }
}
// never, nested
#[inference_stage("execute")] fn nv2() -> Result<std::convert::Infallible, String> { Err("x".into()) }
// impl positions
#[inference_stage("execute")] fn i1() -> impl Iterator<Item = impl Iterator<Item = impl ToString>> { vec![vec![1]].into_iter().map(|v| v.into_iter()) }
#[inference_stage("execute")] fn i2<'a>(v: &'a [u8]) -> Box<dyn Iterator<Item = impl ToString + 'a> + 'a> { Box::new(v.iter()) }
#[inference_stage("execute")] fn i3() -> [impl Fn(u8) -> u8; 1] { [|x| x] }
#[inference_stage("execute")] fn i4(n: u8) -> Option<impl Fn(&str) -> usize> { Some(move |s: &str| s.len() + n as usize) }
#[inference_stage("execute")] fn i5() -> impl Fn(&str) -> &str { |s| s }
#[inference_stage("execute")] fn i6() -> impl for<'a> Fn(&'a str) -> &'a str { |s| s }
#[inference_stage("execute")] fn i7(a: u8) -> impl FnMut(&mut Vec<u8>) -> usize { move |v| { v.push(a); v.len() } }
#[inference_stage("execute")] fn i8() -> Box<dyn Fn(&str) -> &str> { Box::new(|s| s) }
#[inference_stage("execute")] fn i9() -> Result<impl Fn(&str) -> usize, Box<dyn std::error::Error>> { let _x: u8 = "1".parse()?; Ok(|s: &str| s.len()) }
#[inference_stage("execute")] async fn i11() -> Box<dyn Fn(&str) -> &str> { Box::new(|s| s) }
#[inference_stage("execute")] fn i12() -> impl Future<Output = impl Fn(&str) -> usize> { async { |s: &str| s.len() } }
#[inference_stage("execute")] fn i14() -> Vec<impl Fn(&u8) -> u8> { vec![|x: &u8| *x] }
#[inference_stage("execute")] fn i15() -> impl Fn() -> Pin<Box<dyn Future<Output = u8>>> { || Box::pin(async { 1 }) }
#[inference_stage("execute")] #[track_caller] fn i16() -> impl Fn(&str) -> &str { |s| s }
// IntoFuture / use<> / AsyncFn
#[inference_stage("execute")] fn if1() -> impl IntoFuture<Output = u8, IntoFuture = std::future::Ready<u8>> { std::future::ready(1) }
#[inference_stage("execute")] fn if2<'a, T: Send>(t: &'a T) -> impl Future<Output = u8> + use<'a, T> { async move { let _ = t; 1 } }
#[inference_stage("execute")] async fn if3(f: impl AsyncFn(&str) -> usize) -> usize { f("x").await }
#[inference_stage("execute")] fn if4(f: impl AsyncFnOnce() -> u8) -> impl Future<Output = u8> { async move { f().await } }
#[inference_stage("execute")] fn if5() -> impl AsyncFn(u8) -> u8 { async |x| x }
// boxed variants
#[inference_stage("execute")] fn b1() -> Pin<Box<dyn Future<Output = u8>>> { Box::pin(async { let r = Rc::new(1); pause().await; *r }) }
#[inference_stage("execute")] fn b2(x: u8) -> Pin<Box<dyn Future<Output = u8>>> { match x { 0 => Box::pin(async { 1 }), _ => Box::pin(async move { x }) } }
#[inference_stage("execute")] fn b3(x: u8) -> Pin<Box<dyn Future<Output = u8>>> { if x == 0 { Box::pin(async { 1 }) } else { Box::pin(async move { x }) } }
#[inference_stage("execute")] fn b4(x: u8) -> futures::future::BoxFuture<'static, u8> { use futures::FutureExt; async move { x }.boxed() }
#[inference_stage("execute")] fn b5(x: u8) -> futures::future::LocalBoxFuture<'static, u8> { use futures::FutureExt; async move { x }.boxed_local() }
#[inference_stage("execute")] fn b6(x: u8) -> Box<dyn Future<Output = u8> + Unpin> { Box::new(std::future::ready(x)) }
#[inference_stage("execute")] fn b7(x: u8) -> Box<dyn Future<Output = u8> + Unpin + Send> { Box::new(Box::pin(async move { x })) }
#[inference_stage("execute")] fn b8(x: u8) -> Pin<Box<impl Future<Output = u8>>> { Box::pin(async move { x }) }
#[inference_stage("execute")] fn b9(x: u8) -> Box<impl Future<Output = u8>> { Box::new(async move { x }) }
#[inference_stage("execute")] fn b10(x: Result<u8, String>) -> Result<BoxFuture<'static, u8>, String> { let x = x?; Ok(Box::pin(async move { x })) }
#[inference_stage("execute")] fn b11(x: u8) -> Pin<Box<dyn Future<Output = Result<u8, String>> + Send + Sync + 'static>> { let y = (|| { if x > 1 { return 1 } 2 })(); Box::pin(async move { if y > 1 { return Err("x".into()) } Ok(y) }) }
#[inference_stage("execute")] fn b12(x: Option<u8>) -> Pin<Box<dyn Future<Output = Option<u8>> + Send>> { Box::pin(async move { let v = x?; Some(v) }) }
#[inference_stage("execute")] fn b13(x: u8) -> Pin<std::boxed::Box<dyn std::future::Future<Output = u8> + Send + 'static>> { std::boxed::Box::pin(async move { x }) as Pin<Box<dyn Future<Output = u8> + Send>> }
#[inference_stage("execute")] fn b15(x: u8) -> Pin<Box<dyn Send + Future<Output = u8>>> { Box::pin(async move { x }) }
#[inference_stage("execute")] fn b16(x: u8) -> Pin<Arc<dyn Send + Sync>> { Arc::pin(x) }
#[inference_stage("execute")] fn b17(x: u8) -> Pin<Box<dyn Future<Output = Box<dyn Fn(&u8) -> u8>>>> { Box::pin(async move { Box::new(move |y: &u8| *y + x) as _ }) }
#[inference_stage("execute")] fn b18(x: u8) -> Pin<Box<dyn Future<Output = Box<dyn Fn(&u8) -> u8>>>> { Box::pin(async move { let b: Box<dyn Fn(&u8) -> u8> = Box::new(move |y| *y + x); b }) }
#[inference_stage("execute")] fn b19(x: &str) -> Pin<Box<dyn Future<Output = usize> + Send + '_>> { let n = x.len(); Box::pin(async move { n + x.len() }) }
#[inference_stage("execute")] fn b20<'a>(x: &'a mut Vec<u8>) -> BoxFuture<'a, Result<&'a mut u8, String>> { Box::pin(async move { x.push(1); x.last_mut().ok_or_else(String::new) }) }
#[inference_stage("execute")] fn b21<T: Send + 'static>(x: T) -> BoxFuture<'static, T> { Box::pin(std::future::ready(x)) }
#[inference_stage("execute")] fn b22(x: u8) -> BoxFuture<'static, u8> { let f = async move { x }; Box::pin(f) }
#[inference_stage("execute")] fn b23(x: u8) -> BoxFuture<'static, u8> { let f: BoxFuture<'static, u8> = Box::pin(async move { x }); f }
#[inference_stage("execute")] fn b24(x: u8) -> BoxFuture<'static, u8> { Box::<_>::pin(async move { x }) }
#[inference_stage("execute")] fn b25(x: u8) -> BoxFuture<'static, u8> { return Box::pin(async move { x }); }
#[inference_stage("execute")] fn b26(x: u8) -> BoxFuture<'static, u8> { Pin::from(Box::new(async move { x }) as Box<dyn Future<Output = u8> + Send>) }
// impl future early
#[inference_stage("execute")] fn f1(x: u8) -> impl Future<Output = u8> { if x == 1 { return std::future::ready(1); } std::future::ready(2) }
#[inference_stage("execute")] fn f2(x: Rc<u8>) -> impl Future<Output = u8> { async move { pause().await; *x } }
#[inference_stage("execute")] fn f3(x: u8) -> impl Future<Output = Box<dyn std::fmt::Debug>> { async move { Box::new(x) as Box<dyn std::fmt::Debug> } }
#[inference_stage("execute")] fn f4(x: u8) -> impl Future<Output = Result<u8, Box<dyn std::error::Error + Send + Sync>>> + Send { async move { let _v: u8 = "1".parse()?; Ok(x) } }
#[inference_stage("execute")] fn f5(x: u8) -> impl Send + Future<Output = u8> + 'static + Unpin { std::future::ready(x) }
#[inference_stage("execute")] fn f7() -> impl Future<Output = ()> { pause() }
#[inference_stage("execute")] fn f8() -> std::future::Ready<u8> { std::future::ready(1) }
#[inference_stage("execute")] fn f9() -> Option<impl Future<Output = u8>> { Some(async { 1 }) }
#[inference_stage("execute")] fn f10() -> impl FnOnce() -> BoxFuture<'static, u8> { || Box::pin(async { 1 }) }
#[inference_request] fn f11(x: u8) -> impl Future<Output = Result<u8, String>> + Send { async move { Ok(x) } }
