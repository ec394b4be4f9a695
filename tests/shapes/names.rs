//! Names that mean something else: shadowed, raw, or from each kind of fragment of a macro.

use instrument_inference::{inference_request, inference_stage};
use std::future::Future;
use std::pin::Pin;

mod shadows {
    //! Everything that an expansion might name is something else here.
    #![allow(unused, non_camel_case_types, non_snake_case)]
    use ::instrument_inference::*;
    pub mod core {}
    pub mod std {}
    pub mod alloc {}
    pub mod instrument_inference {}
    pub mod linkme {}
    pub struct Ok;
    pub struct Err;
    pub struct Some;
    pub struct None;
    pub struct Option;
    pub struct Result;
    pub struct Box;
    pub struct Pin;
    pub struct Vec;
    pub struct String;
    pub trait Future {}
    pub trait Send {}
    pub trait Sync {}
    pub trait Fn {}
    pub trait FnOnce {}
    pub trait Drop {}
    pub trait Clone {}
    pub trait Sized {}
    pub trait Iterator {}
    pub trait From {}
    pub trait Into {}
    pub trait AsRef {}
    pub trait Copy {}
    pub fn drop() {}
    pub const ENTER: u8 = 1;
    pub static __SITE: u8 = 1;
    pub fn label() {}
    pub struct Probe;
    pub struct Outcome;
    pub enum E {
        X,
    }
    macro_rules! vec {
        () => {
            compile_error!("no")
        };
    }
    macro_rules! panic {
        () => {
            compile_error!("no")
        };
    }
    macro_rules! matches {
        () => {
            compile_error!("no")
        };
    }
    macro_rules! format {
        () => {
            compile_error!("no")
        };
    }
    macro_rules! module_path {
        () => {
            compile_error!("no")
        };
    }
    macro_rules! line {
        () => {
            compile_error!("no")
        };
    }
    macro_rules! concat {
        () => {
            compile_error!("no")
        };
    }
    macro_rules! outcome {
        ($($x:tt)*) => {
            compile_error!("no")
        };
    }
    #[derive(Debug)]
    pub enum bool {
        a,
    }
    pub struct u8x;
    pub type str = u16;
    pub type u8 = ::core::primitive::u16;
    pub type f64 = u16;
    pub type usize = u16;
    pub type u64 = u16;
    #[inference_stage("execute", labels(k = true), buckets = [0.1, 1], objective = "50ms")]
    pub fn a(x: u8, y: E) -> ::core::result::Result<u8, Err> {
        match y {
            E::X => ::core::result::Result::Ok(x),
        }
    }
    #[inference_stage("execute")]
    pub async fn b(x: u8, _: E) -> ::core::result::Result<u8, Err> {
        ::core::result::Result::Err(Err)
    }
    #[inference_stage("execute")]
    pub fn c(x: E) -> impl ::core::future::Future<Output = ::core::option::Option<u8>> {
        async { ::core::option::Option::None }
    }
    #[inference_stage("execute")]
    pub fn d(
        x: u8,
    ) -> ::core::pin::Pin<::std::boxed::Box<dyn ::core::future::Future<Output = u8>>> {
        if x == 1 {
            return ::std::boxed::Box::pin(async { 1 });
        }
        ::std::boxed::Box::pin(async { 1 })
    }
    #[inference_stage("execute")]
    pub fn e(x: u8) -> impl ::core::marker::Sized {
        x
    }
    #[inference_stage("execute")]
    pub fn f(x: E) -> ! {
        ::core::panic!()
    }
    #[inference_stage("execute")]
    pub async fn g(x: E) -> ! {
        ::core::panic!()
    }
    #[inference_stage("execute")]
    #[track_caller]
    pub fn h(x: E) -> u8 {
        1
    }
    #[inference_request(ingress = "x", labels(k = "y"), tier = true)]
    pub async fn i(x: E) -> ::core::result::Result<u8, Err> {
        ::core::result::Result::Err(Err)
    }
    #[inference_stage("execute", batch = 3)]
    pub fn j(x: E) -> u8 {
        1
    }
    #[inference_stage("execute", error = cls)]
    pub fn k(x: E) -> ::core::result::Result<u8, Err> {
        ::core::result::Result::Err(Err)
    }
    fn cls(_: &Err) -> ErrorType {
        ErrorType::Internal
    }
    #[inference_stage("execute")]
    pub fn l(_core: E) -> impl ::core::ops::Fn(&str) -> u8 {
        |_| 1
    }
    #[inference_stage("execute")]
    pub fn Ok_(Ok: Ok, Err: Err) -> Ok {
        Ok
    }
}
mod methods {
    use super::*;
    trait Evil {
        fn split(&self) -> u8 {
            1
        }
        fn value_outcome(&self) -> u8 {
            2
        }
        fn error_outcome(&self) -> u8 {
            2
        }
        fn exit(&self, _x: u8) {}
        fn hint(&self) {}
        fn labels(&self) {}
        fn await_(&self) {}
        fn model(&self) {}
        fn into_future(&self) {}
        fn poll(&self) {}
        fn answers(&self) {}
    }
    impl<T: ?Sized> Evil for T {}
    #[inference_stage("execute", labels(k = true))]
    fn a(x: u8) -> Result<u8, String> {
        let _ = 1u8.split();
        Ok(x)
    }
    #[inference_stage("execute", labels(k = true))]
    pub(super) async fn b(x: u8) -> Result<u8, String> {
        Ok(x)
    }
    #[inference_stage("execute")]
    fn c(x: u8) -> impl Future<Output = Result<u8, String>> {
        async move { Ok(x) }
    }
    #[inference_stage("execute", batch = 1)]
    fn d(x: u8) -> Vec<Result<u8, String>> {
        vec![Ok(x)]
    }
    #[inference_request(labels(k = true))]
    fn e(x: u8) -> Result<u8, String> {
        Ok(x)
    }
}
#[inference_stage("execute", labels(r#type = r#match, r#in = "x"))]
fn r#fn(r#match: bool) -> bool {
    r#match
}
#[inference_request]
async fn r#async(r#await: u8, r#crate_: u8) -> u8 {
    r#await + r#crate_
}
#[inference_stage("execute", labels(k = r#plain))]
fn raw_plain(plain: bool, x: String) -> usize {
    x.len() + usize::from(r#plain)
}
mod r#mod {
    #[::instrument_inference::inference_stage("execute")]
    pub(super) fn r#struct() {}
}
#[inference_stage(r"execute")]
fn raw_string() {}
#[inference_stage("execute", labels(k = r"x"))]
fn raw_string2() {}
macro_rules! frag {
    ($(#[$m:meta])* $v:vis $n:ident<$l:lifetime>($p:pat, $t:ty) -> $r:ty, $e:expr, $b:block, $name:literal, $pth:path, $tt:tt, $st:stmt) => {
        $(#[$m])* #[inference_stage($name, labels(k = $e))] $v fn $n<$l>($p: $t, _lt: &$l u8) -> $r $b
        mod frag_in { use super::*; #[inference_stage($name)] pub(super) fn stmt(x: $t) -> $r { $st let _ = ($tt, x); $pth(String::new()) }
          #[inference_stage($name)] pub(super) async fn astmt((_a, b): ($t, $t)) -> $r { $st let _ = b; $pth(String::new()) } }
    };
}
frag!(#[inline] pub(crate) frag_fn<'a>((a, _), (u8, u8)) -> Result<u8, String>, true, { Ok(a) }, "execute", Err, 1, let _x = 1);
macro_rules! fut {
    ($n:ident, $r:ty, $t:ty) => {
        #[inference_stage("execute")]
        fn $n(x: $t) -> $r {
            Box::pin(async move { x })
        }
    };
}
fut!(fut1, Pin<Box<dyn Future<Output = u8>>>, u8);
macro_rules! fut2 {
    ($n:ident, $r:ty, $e:expr) => {
        #[inference_stage("execute")]
        fn $n() -> Pin<Box<dyn Future<Output = $r>>> {
            $e
        }
        #[inference_stage("execute")]
        fn fut4() -> impl Future<Output = $r> {
            async { 1 }
        }
    };
}
fut2!(fut3, u8, Box::pin(async { 1 }));
macro_rules! nested { ($($b:tt)*) => { macro_rules! inner { ($n:ident $body:block) => { #[inference_stage("execute")] fn $n() -> u8 { let x = 1; $($b)* + $body + x } } } inner!(nested_fn { 2 }); } }
nested!(5);
macro_rules! items { ($($i:item)*) => { $(#[inference_stage("execute")] $i)* } }
items! { fn it1<'a, T: Clone>(x: &'a T) -> T where T: 'a { x.clone() } pub(crate) async fn it2() {} unsafe extern "C" fn it3() {} fn it4() -> ! { panic!() } }
macro_rules! selfy { ($s:ident, $t:ty) => { #[inference_stage("execute")] fn m(&$s, x: $t) -> $t { $s.0 + x } #[inference_stage("execute", labels(k = $s.0 == 1))] async fn m2($s, x: $t) -> $t { $s.0 + x } } }
struct S(u8);
impl S {
    selfy!(self, u8);
}
macro_rules! sig { ($($sig:tt)*) => { #[inference_stage("execute")] $($sig)* } }
sig! { fn sig1(&(a, b): &(u8, u8), mut c: Vec<u8>) -> Vec<u8> { c.push(a + b); c } }
macro_rules! twins {
    ($f:ident, $a:ident) => {
        #[inference_stage("execute")]
        fn $f(mut a: Vec<u8>, _a: String, ($a, _b): (Vec<u8>, u8), b: String) -> Vec<u8> {
            a.extend($a);
            drop(b);
            a
        }
        #[inference_stage("execute", labels(k = a.is_empty() || $a.is_empty()))]
        pub(super) async fn in_labels(a: Vec<u8>, $a: String) -> (Vec<u8>, String) {
            (a, $a)
        }
    };
}
mod twins {
    use super::*;
    twins!(twin, a);
    pub(super) fn both() -> Vec<u8> {
        twin(vec![1], String::new(), (vec![2], 0), String::new())
    }
}
#[test]
fn two_names_of_one_spelling_are_two() {
    let _test = crate::probe::start();
    assert_eq!(twins::both(), [1, 2]);
    let (a, b) = crate::probe::block(twins::in_labels(vec![1], "b".to_owned()));
    assert_eq!((a, b.as_str()), (vec![1], "b"));
    assert_eq!(crate::probe::counts(), "execute:ok=2");
}
#[test]
fn each_name_means_what_the_user_said() {
    let _test = crate::probe::start();
    assert!(r#fn(true));
    assert_eq!(raw_plain(true, String::new()), 1);
    assert_eq!(nested_fn(), 8);
    assert!(matches!(frag_fn((1, 2), &1), Ok(1)));
    assert!(frag_in::stmt((1, 2)).is_err());
    assert!(crate::probe::block(methods::b(1)).is_ok());
    assert_eq!(crate::probe::counts(), "execute:error=1 execute:ok=5");
}
