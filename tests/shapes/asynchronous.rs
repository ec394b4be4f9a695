//! Functions that are futures, or return one.

use crate::probe::{BoxFuture, block, counts, pause, send, start};
use instrument_inference::inference_stage;
use std::future::Future;
use std::panic::catch_unwind;
use std::pin::Pin;
use std::task::{Context, Waker};

type Callback = Result<Box<dyn FnOnce() + Send + Sync>, String>;

#[inference_stage("execute")]
async fn coerced() -> Callback {
    Ok(Box::new(|| ()))
}

#[inference_stage("execute")]
async fn borrowed(values: &mut Vec<u8>) -> Result<&u8, String> {
    if values.is_empty() {
        return Err("e".into());
    }
    Ok(&values[0])
}

#[inference_stage("execute")]
async fn two_lifetimes<'a, 'b>(x: &'a mut u8, _y: &'b u8) -> &'a mut u8 {
    x
}

#[inference_stage("execute")]
async fn hidden() -> Result<impl Iterator<Item = u8>, std::num::ParseIntError> {
    let value: u8 = "1".parse()?;
    Ok(vec![value].into_iter())
}

#[inference_stage("execute")]
async fn never(go: bool) -> ! {
    if go {
        panic!("x")
    }
    loop {
        pause().await
    }
}

#[inference_stage("execute")]
async fn diverges() {
    loop {
        pause().await
    }
}

#[inference_stage("execute")]
async unsafe fn unsafe_async(p: *const u8) -> u8 {
    unsafe { *p }
}

#[inference_stage("execute")]
async fn patterns((a, b): (u8, u8), _: String, mut n: u32) -> u32 {
    n += 1;
    pause().await;
    n + u32::from(a + b)
}

#[inference_stage("execute")]
async fn generic<T: Clone + Send, const N: usize>(x: T) -> [T; N] {
    pause().await;
    std::array::from_fn(|_| x.clone())
}

#[inference_stage("execute")]
async fn inferred() -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
    let x = "1x".parse::<u8>()?;
    Ok(Vec::from([x]))
}

#[inference_stage("execute")]
fn impl_future(x: u8) -> impl Future<Output = Result<u8, String>> + Send {
    let y = x + 1;
    async move {
        pause().await;
        if y > 2 {
            return Err("x".to_string());
        }
        Ok(y)
    }
}

#[inference_stage("execute")]
fn impl_future_of_a_reference<'a>(
    x: &'a str,
) -> impl Future<Output = Result<&'a str, &'a str>> + 'a {
    async move { Err(x) }
}

#[inference_stage("execute")]
fn boxed<'a>(x: &'a mut u8) -> Pin<Box<dyn Future<Output = Result<u8, String>> + Send + 'a>> {
    *x += 1;
    let y = *x;
    Box::pin(async move {
        pause().await;
        if y > 2 {
            return Err("boom".to_string());
        }
        Ok(y)
    })
}

#[inference_stage("execute")]
fn boxed_early(x: u8) -> Pin<Box<dyn Future<Output = u8> + Send>> {
    if x == 0 {
        return Box::pin(std::future::ready(0));
    }
    Box::pin(async move { x })
}

#[inference_stage("execute")]
fn boxed_mutable(mut x: Vec<u8>) -> BoxFuture<'static, usize> {
    x.push(1);
    Box::pin(async move { x.len() })
}

#[inference_stage("execute")]
fn boxed_elsewhere(x: u8) -> BoxFuture<'static, Result<u8, String>> {
    fn make(x: u8) -> BoxFuture<'static, Result<u8, String>> {
        Box::pin(async move { Ok(x) })
    }
    make(x)
}

#[inference_stage("execute")]
fn recursive(n: u8) -> Pin<Box<dyn Future<Output = u8> + Send>> {
    Box::pin(async move {
        if n == 0 {
            0
        } else {
            recursive(n - 1).await + 1
        }
    })
}

type Hidden = Pin<Box<dyn Future<Output = u8> + Send>>;

#[inference_stage("execute")]
fn behind_an_alias(x: u8) -> Hidden {
    Box::pin(async move { x })
}

#[async_trait::async_trait]
trait Model: Sync {
    async fn run(&self, x: &mut u8) -> Result<u8, String>;

    #[inference_stage("preprocess")]
    async fn prepare(&self, x: u8) -> u8 {
        pause().await;
        x
    }
}

struct Weights {
    fast: bool,
}

#[async_trait::async_trait]
impl Model for Weights {
    #[inference_stage("execute", labels(fast = self.fast))]
    async fn run(&self, x: &mut u8) -> Result<u8, String> {
        pause().await;
        *x += 1;
        if *x > 2 {
            return Err("x".into());
        }
        Ok(self.prepare(*x).await)
    }
}

#[inference_stage("execute")]
#[async_recursion::async_recursion]
async fn recursion_attribute_below(n: u8) -> u8 {
    if n == 0 {
        0
    } else {
        recursion_attribute_below(n - 1).await + 1
    }
}

#[async_recursion::async_recursion]
#[inference_stage("execute")]
async fn recursion_attribute_above(n: u8) -> u8 {
    if n == 0 {
        0
    } else {
        recursion_attribute_above(n - 1).await + 1
    }
}

#[test]
fn functions() {
    let _test = start();
    assert!(block(send(coerced())).is_ok());
    assert!(block(borrowed(&mut vec![1])).is_ok());
    assert!(block(borrowed(&mut vec![])).is_err());
    assert_eq!(*block(two_lifetimes(&mut 1, &2)), 1);
    assert!(block(hidden()).is_ok());
    assert_eq!(unsafe { block(unsafe_async(&1)) }, 1);
    assert_eq!(block(send(patterns((1, 2), String::new(), 3))), 7);
    let _: [u8; 2] = block(send(generic(1)));
    assert!(block(inferred()).is_err());
    assert_eq!(counts(), "execute:error=2 execute:ok=7");
    assert!(catch_unwind(|| block(never(true))).is_err());
    assert_eq!(counts(), "execute:panicked=1");
}

#[test]
fn functions_that_return_futures() {
    let _test = start();
    assert!(block(send(impl_future(1))).is_ok());
    assert!(block(impl_future(2)).is_err());
    assert!(block(impl_future_of_a_reference("x")).is_err());
    let mut x = 1;
    assert!(block(send(boxed(&mut x))).is_ok());
    assert!(block(boxed(&mut x)).is_err());
    assert_eq!(block(send(boxed_early(0))), 0);
    assert_eq!(block(boxed_early(1)), 1);
    assert_eq!(block(boxed_mutable(vec![])), 1);
    assert!(block(boxed_elsewhere(1)).is_ok());
    assert_eq!(counts(), "execute:error=3 execute:ok=6");
    assert_eq!(block(send(recursive(2))), 2);
    assert_eq!(block(send(recursion_attribute_below(2))), 2);
    assert_eq!(block(send(recursion_attribute_above(2))), 2);
    assert_eq!(counts(), "execute:ok=9");
}

#[test]
fn async_trait_methods() {
    let _test = start();
    let (weights, mut x) = (Weights { fast: true }, 1);
    assert!(block(send(weights.run(&mut x))).is_ok());
    assert!(block(weights.run(&mut x)).is_err());
    assert_eq!(counts(), "execute:error=1 execute:ok=1 preprocess:ok=1");
}

#[test]
fn a_future_that_was_never_polled_counts_nothing() {
    let _test = start();
    drop(impl_future(1));
    drop(boxed(&mut 1));
    drop(coerced());
    assert_eq!(counts(), "");
    drop(behind_an_alias(1));
    assert_eq!(
        counts(),
        "execute:ok=1",
        "an alias hides the box: making it is what is measured"
    );
}

#[test]
fn a_future_that_was_dropped_halfway_is_cancelled() {
    let _test = start();
    let mut future = Box::pin(diverges());
    assert!(
        future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_pending()
    );
    drop(future);
    assert_eq!(counts(), "execute:cancelled=1");
}
