//! Other attributes on the same function, and functions inside of others.

use instrument_inference::{inference_request, inference_stage};
use std::future::Future;
use std::pin::Pin;

#[cfg_attr(all(), inference_stage("execute"))]
fn at1() {}
#[cfg(any())]
#[inference_stage("execute")]
fn at2(x: Missing) {}
#[inference_stage("execute")]
#[cfg(any())]
fn at3(x: Missing) {}
#[inference_stage("execute")]
#[cold]
#[inline(never)]
#[must_use = "x"]
fn at4() -> u8 {
    1
}
#[inference_stage("execute")]
#[doc = "x"]
#[deprecated(note = "x")]
fn at5() {}
#[inference_stage("execute")]
#[expect(unused_variables)]
fn at6() {
    let x = 1;
}
#[expect(unused_variables)]
#[inference_stage("execute")]
async fn at7(x: String, y: u8) {}
#[inference_stage("execute")]
#[unsafe(no_mangle)]
pub extern "C" fn at8() {}
#[inference_stage("execute")]
#[unsafe(export_name = "at9x")]
pub extern "C" fn at9() {}
#[inference_stage("execute")]
#[cfg_attr(all(), track_caller)]
fn at10() -> u32 {
    std::panic::Location::caller().line()
}
#[cfg_attr(all(), track_caller)]
#[inference_stage("execute")]
fn at11() -> u32 {
    std::panic::Location::caller().line()
}
#[cfg(target_arch = "x86_64")]
#[inference_stage("execute")]
#[target_feature(enable = "avx2")]
fn at12(x: u8) -> u8 {
    x
}
#[cfg(target_arch = "x86_64")]
#[inference_stage("execute")]
#[target_feature(enable = "avx2")]
unsafe fn at13(x: u8) -> u8 {
    at12(x)
}
#[inference_stage("execute")]
#[inference_request]
fn at17(x: u8) -> impl Future<Output = u8> {
    async move { x }
}
#[inference_request]
#[inference_stage("execute")]
fn at18(x: u8) -> Pin<Box<dyn Future<Output = u8>>> {
    Box::pin(async move { x })
}
#[inference_request]
#[inference_stage("execute")]
fn at19(x: u8) -> impl Fn(&str) -> &str {
    let _ = x;
    |s| s
}
#[inference_request]
#[inference_stage("execute")]
fn at20() -> ! {
    panic!()
}
#[instrument_inference::inference_stage("execute")]
fn at21() {}
#[::instrument_inference::inference_stage("execute")]
fn at22() {}
fn inside() {
    #[inference_stage("execute")]
    fn a() {}
    a();
    struct L;
    impl L {
        #[inference_stage("execute")]
        fn b(&self) -> &Self {
            self
        }
    }
    L.b();
    let c = || {
        #[inference_stage("execute")]
        fn d<T>(t: T) -> T {
            t
        }
        d(1)
    };
    c();
    const X: usize = {
        #[inference_stage("execute")]
        fn e() {}
        3
    };
    let _ = [0; X];
}

#[test]
fn attributes_stay_and_do_what_they_do() {
    let _test = crate::probe::start();
    at1();
    inside();
    assert_eq!(at10(), line!());
    assert_eq!(at11(), line!());
    assert_eq!(crate::probe::counts(), "execute:ok=6");
}

#[test]
fn what_others_say_about_a_function_is_still_said() {
    #[expect(deprecated)]
    at5();
    #[expect(unused_must_use)]
    at4();
}

#[test]
fn a_stage_may_be_a_request_in_either_order() {
    let _test = crate::probe::start();
    at19(1)("x");
    assert_eq!(
        crate::probe::block(at17(1)) + crate::probe::block(at18(1)),
        2
    );
    assert!(std::panic::catch_unwind(|| at20()).is_err());
    assert_eq!(
        crate::probe::counts(),
        "execute:ok=3 execute:panicked=1 request:ok=3 request:panicked=1"
    );
}
