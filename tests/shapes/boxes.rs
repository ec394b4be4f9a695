//! Every way to return a future that somebody knows: hidden, boxed, pinned or not, made here or elsewhere.

use crate::probe::{BoxFuture, block, counts, pause, start};
use futures::FutureExt;
use futures::future::FusedFuture;
use instrument_inference::{inference_request, inference_stage};
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

#[inference_stage("execute")]
fn if1() -> impl IntoFuture<Output = u8, IntoFuture = std::future::Ready<u8>> {
    std::future::ready(1)
}

#[inference_stage("execute")]
fn if2<'a, T: Send>(t: &'a T) -> impl Future<Output = u8> + use<'a, T> {
    async move {
        let _ = t;
        1
    }
}

#[inference_stage("execute")]
async fn if3(f: impl AsyncFn(&str) -> usize) -> usize {
    f("x").await
}

#[inference_stage("execute")]
fn if4(f: impl AsyncFnOnce() -> u8) -> impl Future<Output = u8> {
    async move { f().await }
}

#[inference_stage("execute")]
fn if5() -> impl AsyncFn(u8) -> u8 {
    async |x| x
}

#[inference_stage("execute")]
fn b1() -> Pin<Box<dyn Future<Output = u8>>> {
    Box::pin(async {
        let r = Rc::new(1);
        pause().await;
        *r
    })
}

#[inference_stage("execute")]
fn b2(x: u8) -> Pin<Box<dyn Future<Output = u8>>> {
    match x {
        0 => Box::pin(async { 1 }),
        _ => Box::pin(async move { x }),
    }
}

#[inference_stage("execute")]
fn b3(x: u8) -> Pin<Box<dyn Future<Output = u8>>> {
    if x == 0 {
        Box::pin(async { 1 })
    } else {
        Box::pin(async move { x })
    }
}

#[inference_stage("execute")]
fn b4(x: u8) -> futures::future::BoxFuture<'static, u8> {
    use futures::FutureExt;
    async move { x }.boxed()
}

#[inference_stage("execute")]
fn b5(x: u8) -> futures::future::LocalBoxFuture<'static, u8> {
    use futures::FutureExt;
    async move { x }.boxed_local()
}

#[inference_stage("execute")]
fn b6(x: u8) -> Box<dyn Future<Output = u8> + Unpin> {
    Box::new(std::future::ready(x))
}

#[inference_stage("execute")]
fn b7(x: u8) -> Box<dyn Future<Output = u8> + Unpin + Send> {
    Box::new(Box::pin(async move { x }))
}

#[inference_stage("execute")]
fn b8(x: u8) -> Pin<Box<impl Future<Output = u8>>> {
    Box::pin(async move { x })
}

#[inference_stage("execute")]
fn b9(x: u8) -> Box<impl Future<Output = u8>> {
    Box::new(async move { x })
}

#[inference_stage("execute")]
fn b10(x: Result<u8, String>) -> Result<BoxFuture<'static, u8>, String> {
    let x = x?;
    Ok(Box::pin(async move { x }))
}

#[inference_stage("execute")]
fn b11(x: u8) -> Pin<Box<dyn Future<Output = Result<u8, String>> + Send + Sync + 'static>> {
    let y = (|| {
        if x > 1 {
            return 1;
        }
        2
    })();
    Box::pin(async move {
        if y > 1 {
            return Err("x".into());
        }
        Ok(y)
    })
}

#[inference_stage("execute")]
fn b12(x: Option<u8>) -> Pin<Box<dyn Future<Output = Option<u8>> + Send>> {
    Box::pin(async move {
        let v = x?;
        Some(v)
    })
}

#[inference_stage("execute")]
fn b13(x: u8) -> Pin<std::boxed::Box<dyn std::future::Future<Output = u8> + Send + 'static>> {
    std::boxed::Box::pin(async move { x }) as Pin<Box<dyn Future<Output = u8> + Send>>
}

#[inference_stage("execute")]
fn b15(x: u8) -> Pin<Box<dyn Send + Future<Output = u8>>> {
    Box::pin(async move { x })
}

#[inference_stage("execute")]
fn b16(x: u8) -> Pin<Arc<dyn Send + Sync>> {
    Arc::pin(x)
}

#[inference_stage("execute")]
fn b17(x: u8) -> Pin<Box<dyn Future<Output = Box<dyn Fn(&u8) -> u8>>>> {
    Box::pin(async move { Box::new(move |y: &u8| *y + x) as _ })
}

#[inference_stage("execute")]
fn b18(x: u8) -> Pin<Box<dyn Future<Output = Box<dyn Fn(&u8) -> u8>>>> {
    Box::pin(async move {
        let b: Box<dyn Fn(&u8) -> u8> = Box::new(move |y| *y + x);
        b
    })
}

#[inference_stage("execute")]
fn b19(x: &str) -> Pin<Box<dyn Future<Output = usize> + Send + '_>> {
    let n = x.len();
    Box::pin(async move { n + x.len() })
}

#[inference_stage("execute")]
fn b20<'a>(x: &'a mut Vec<u8>) -> BoxFuture<'a, Result<&'a mut u8, String>> {
    Box::pin(async move {
        x.push(1);
        x.last_mut().ok_or_else(String::new)
    })
}

#[inference_stage("execute")]
fn b21<T: Send + 'static>(x: T) -> BoxFuture<'static, T> {
    Box::pin(std::future::ready(x))
}

#[inference_stage("execute")]
fn b22(x: u8) -> BoxFuture<'static, u8> {
    let f = async move { x };
    Box::pin(f)
}

#[inference_stage("execute")]
fn b23(x: u8) -> BoxFuture<'static, u8> {
    let f: BoxFuture<'static, u8> = Box::pin(async move { x });
    f
}

#[inference_stage("execute")]
fn b24(x: u8) -> BoxFuture<'static, u8> {
    Box::<_>::pin(async move { x })
}

#[inference_stage("execute")]
fn b25(x: u8) -> BoxFuture<'static, u8> {
    return Box::pin(async move { x });
}

#[inference_stage("execute")]
fn b26(x: u8) -> BoxFuture<'static, u8> {
    Pin::from(Box::new(async move { x }) as Box<dyn Future<Output = u8> + Send>)
}

#[inference_stage("execute")]
fn f1(x: u8) -> impl Future<Output = u8> {
    if x == 1 {
        return std::future::ready(1);
    }
    std::future::ready(2)
}

#[inference_stage("execute")]
fn f2(x: Rc<u8>) -> impl Future<Output = u8> {
    async move {
        pause().await;
        *x
    }
}

#[inference_stage("execute")]
fn f3(x: u8) -> impl Future<Output = Box<dyn std::fmt::Debug>> {
    async move { Box::new(x) as Box<dyn std::fmt::Debug> }
}

#[inference_stage("execute")]
fn f4(x: u8) -> impl Future<Output = Result<u8, Box<dyn std::error::Error + Send + Sync>>> + Send {
    async move {
        let _v: u8 = "1".parse()?;
        Ok(x)
    }
}

#[inference_stage("execute")]
fn f5(x: u8) -> impl Send + Future<Output = u8> + 'static + Unpin {
    std::future::ready(x)
}

#[inference_stage("execute")]
fn f12(x: u8) -> impl FusedFuture<Output = u8> {
    std::future::ready(x).fuse()
}

#[inference_stage("execute", batch = 2)]
fn f13(x: u8) -> impl Future<Output = u8> + FusedFuture + Unpin {
    std::future::ready(x).fuse()
}

#[inference_request]
fn f14(x: u8) -> impl FusedFuture + Future<Output = u8> {
    async move { x }.fuse()
}

#[inference_stage("execute")]
fn f15(x: u8) -> Pin<Box<dyn FusedFuture<Output = u8>>> {
    Box::pin(std::future::ready(x).fuse())
}

#[inference_stage("execute")]
fn f16(x: u8) -> Pin<Box<dyn FusedFuture<Output = u8> + Send>> {
    let future = std::future::ready(x).fuse();
    let future = Box::pin(future);
    future
}

#[inference_stage("execute")]
fn f7() -> impl Future<Output = ()> {
    pause()
}

#[inference_stage("execute")]
fn f8() -> std::future::Ready<u8> {
    std::future::ready(1)
}

#[inference_stage("execute")]
fn f9() -> Option<impl Future<Output = u8>> {
    Some(async { 1 })
}

#[inference_stage("execute")]
fn f10() -> impl FnOnce() -> BoxFuture<'static, u8> {
    || Box::pin(async { 1 })
}

#[inference_request]
fn f11(x: u8) -> impl Future<Output = Result<u8, String>> + Send {
    async move { Ok(x) }
}

#[inference_stage("execute")]
#[track_caller]
fn tb1(x: u8) -> BoxFuture<'static, u32> {
    let l = std::panic::Location::caller().line() + u32::from(x);
    Box::pin(async move { l })
}

#[inference_stage("execute")]
#[track_caller]
fn tb2(x: u8) -> BoxFuture<'static, u32> {
    let l = std::panic::Location::caller().line() + u32::from(x);
    let f = Box::pin(async move { l });
    f
}

#[inference_stage("execute")]
#[track_caller]
fn tb3(x: u8) -> Box<dyn Future<Output = u32> + Unpin> {
    let l = std::panic::Location::caller().line() + u32::from(x);
    Box::new(std::future::ready(l))
}

#[inference_stage("execute")]
fn tb4(x: u8) -> Box<impl Future<Output = u8> + Unpin> {
    Box::new(std::future::ready(x))
}

#[inference_stage("execute")]
fn tb5(x: u8) -> Box<dyn Future<Output = Result<u8, String>> + Unpin + Send + 'static> {
    if x == 1 {
        return Box::new(std::future::ready(Ok(1)));
    }
    Box::new(std::future::ready(Err("x".into())))
}

#[inference_stage("execute")]
fn tb6<'a>(x: &'a u8) -> Pin<Box<impl Future<Output = &'a u8> + Send + 'a>> {
    let y = x;
    if *y == 1 {}
    let f = Box::pin(async move { y });
    f
}

mod aliases {
    //! Of the service's own: the output is another argument, or more than the argument says.
    use super::*;

    type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, String>> + Send + 'a>>;

    #[inference_stage("execute")]
    pub(super) fn wrapped(x: u8) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            x.checked_sub(1).ok_or("x")?;
            Ok(())
        })
    }

    #[inference_request]
    pub(super) fn wrapped_elsewhere<'a>(x: &'a str) -> BoxFuture<'a, &'a str> {
        let f: BoxFuture<'_, _> = Box::pin(async move { x.get(1..).ok_or_else(String::new) });
        f
    }

    pub(super) struct S(u8);

    impl S {
        #[inference_stage("execute", error = internal)]
        pub(super) fn borrowed(&self, x: u8) -> BoxFuture<'_, &u8> {
            Box::pin(async move {
                if self.0 == x {
                    Ok(&self.0)
                } else {
                    Err("x".into())
                }
            })
        }
    }

    fn internal(_: &String) -> instrument_inference::ErrorType {
        instrument_inference::ErrorType::Internal
    }

    pub(super) mod turned {
        use super::*;
        type LocalBoxFuture<T, E = String> = Pin<Box<dyn Future<Output = Result<T, E>>>>;

        #[inference_stage("execute")]
        pub(in super::super) fn two(x: Rc<u8>) -> LocalBoxFuture<Rc<u8>, u16> {
            Box::pin(async move { if *x == 0 { Err(1) } else { Ok(x) } })
        }

        #[inference_stage("execute")]
        pub(in super::super) fn one<T: 'static>(x: T) -> LocalBoxFuture<T> {
            let f = async move { Ok(x) };
            Box::pin(f)
        }
    }

    pub(super) mod bare {
        use super::*;
        type BoxFuture = Pin<Box<dyn Future<Output = Result<u8, String>> + Send>>;

        #[inference_stage("execute")]
        pub(in super::super) fn bare(x: u8) -> BoxFuture {
            Box::pin(async move { Ok(u8::from_str_radix("x", 10).map_err(|_| "x")? + x) })
        }
    }

    pub(super) fn s() -> S {
        S(1)
    }
}

#[test]
fn an_alias_says_itself_what_its_future_gives() {
    let _test = start();
    let s = aliases::s();
    drop((aliases::wrapped(1), aliases::bare::bare(1)));
    assert_eq!(counts(), "");
    assert!(block(aliases::wrapped(1)).is_ok());
    assert!(block(aliases::wrapped(0)).is_err());
    assert!(block(s.borrowed(1)).is_ok());
    assert!(block(s.borrowed(0)).is_err());
    assert!(block(aliases::turned::two(Rc::new(0))).is_err());
    assert!(block(aliases::turned::one(1)).is_ok());
    assert!(block(aliases::bare::bare(1)).is_err());
    assert_eq!(counts(), "execute:error=4 execute:ok=3");
    assert!(block(aliases::wrapped_elsewhere("")).is_err());
    assert_eq!(counts(), "request:error=1");
}

#[test]
fn the_future_is_measured_and_not_its_making() {
    let _test = start();
    drop((
        b2(1),
        b3(1),
        b4(1),
        b5(1),
        b6(1),
        b7(1),
        b8(1),
        b22(1),
        b23(1),
        b25(1),
        b26(1),
    ));
    drop((
        f1(1),
        f2(Rc::new(1)),
        f5(1),
        tb1(1),
        tb2(1),
        tb3(1),
        tb4(1),
        tb5(1),
        tb6(&1),
    ));
    assert_eq!(counts(), "");
    for x in 0..3 {
        assert_eq!([block(b2(x)), block(b3(x))].len(), 2);
        block(b4(x));
        block(b5(x));
        block(b6(x));
        block(b7(x));
        block(b8(x));
        block(b13(x));
        block(b15(x));
        block(b21(x));
        block(b22(x));
        block(b23(x));
        block(b24(x));
        block(b25(x));
        block(b26(x));
    }
    assert_eq!(counts(), "execute:ok=45");
    assert!(block(b11(1)).is_err());
    assert!(block(b12(None)).is_none());
    assert_eq!(block(b17(1))(&1), 2);
    assert_eq!(block(b19("a")), 2);
    assert_eq!(block(b20(&mut Vec::new())), Ok(&mut 1));
    assert!(block(tb5(2)).is_err());
    assert_eq!(block(tb6(&3)), &3);
    assert_eq!(counts(), "execute:error=2 execute:ok=5");
}

#[test]
fn under_track_caller_a_box_is_measured_too() {
    let _test = start();
    assert_eq!(block(tb1(0)), line!());
    assert_eq!(block(tb2(0)), line!());
    assert_eq!(block(tb3(0)), line!());
    assert_eq!(counts(), "execute:ok=3");
}

#[test]
fn a_future_inside_of_something_else_is_a_value() {
    let _test = start();
    assert_eq!(counts(), "");
    drop((b10(Ok(1)), f9(), if1()));
    assert!(b10(Err(String::new())).is_err());
    assert_eq!(counts(), "execute:error=1 execute:ok=3");
}

#[test]
fn a_fused_future_knows_its_end() {
    fn ends(future: impl FusedFuture<Output = u8>) {
        let mut future = Box::pin(future);
        assert!(!future.is_terminated());
        assert_eq!(block(future.as_mut()), 1);
        assert!(future.is_terminated());
    }
    let _test = start();
    drop((f12(1), f15(1), f16(1)));
    assert_eq!(counts(), "");
    ends(f12(1));
    ends(f15(1));
    ends(f16(1));
    assert_eq!(counts(), "execute:ok=3");
    ends(f13(1));
    assert_eq!(counts(), "execute:ok=2");
    ends(f14(1));
    assert_eq!(counts(), "request:ok=1");
}
