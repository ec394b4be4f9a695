//! Every shape of function that an attribute may stand on, and what is counted for it.
//!
//! Taken in with `#[path]` by one test target per edition. The target brings `crate::probe` with two functions:
//! `start()` gives a guard that isolates a test, and `counts()` what ended since it was last asked, sorted, as
//! `"execute:error=1 execute:ok=3"`: stages by their name, all requests as `request`.
#![deny(
    warnings,
    missing_docs,
    rust_2018_idioms,
    unreachable_pub,
    unused_must_use,
    unsafe_op_in_unsafe_fn
)]
// Half of the shapes are here to compile, and most are unusual on purpose: clippy's part is `strict.rs`.
#![allow(dead_code, clippy::all)]

use crate::probe::{counts, start};
use instrument_inference::{inference_request, inference_stage};
use std::borrow::Cow;
use std::fmt::{Debug, Display};
use std::future::Future;
use std::panic::catch_unwind;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

fn block<F: Future>(future: F) -> F::Output {
    let mut future = Box::pin(future);
    loop {
        if let Poll::Ready(value) = future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            return value;
        }
    }
}

/// Pending once.
async fn pause() {
    let mut first = true;
    std::future::poll_fn(move |_| {
        if std::mem::take(&mut first) {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    })
    .await;
}

fn send<T: Send>(value: T) -> T {
    value
}

mod sync {
    use super::*;

    #[inference_stage("execute")]
    fn unit() {}

    #[inference_stage("execute")]
    fn explicit_unit(x: u8) -> () {
        if x > 1 {
            return;
        }
    }

    #[inference_stage("execute")]
    fn early(text: &str) -> Result<u32, std::num::ParseIntError> {
        let value: u32 = text.parse()?;
        if value > 3 {
            return Ok(0);
        }
        Ok(value)
    }

    #[inference_stage("execute")]
    fn reborrow<'a>(_unused: &u8, values: &'a mut Vec<u8>) -> &'a mut u8 {
        &mut values[0]
    }

    #[inference_stage("execute")]
    fn borrow_or_fail(values: &mut Vec<u8>) -> Result<&u8, String> {
        values.push(1);
        if values.len() > 9 {
            return Err("long".into());
        }
        Ok(&values[0])
    }

    #[inference_stage("execute")]
    fn pair<'a, 'b>(a: &'a mut u8, b: &'b mut u8) -> (&'a mut u8, &'b mut u8) {
        *a += 1;
        (a, b)
    }

    #[inference_stage("execute")]
    fn coerced() -> Box<dyn Fn() -> u8> {
        Box::new(|| 1)
    }

    #[inference_stage("execute")]
    fn coerced_slice() -> &'static [u8] {
        &[1, 2, 3]
    }

    #[inference_stage("execute")]
    fn nested_impl() -> Result<Option<Vec<impl ToString>>, std::fmt::Error> {
        if false {
            return Err(std::fmt::Error);
        }
        Ok(Some(vec![1]))
    }

    #[inference_stage("execute")]
    fn impl_with_boxed_error(text: &str) -> Result<impl Display, Box<dyn std::error::Error>> {
        let value: u8 = text.parse()?;
        Ok(value)
    }

    #[inference_stage("execute")]
    fn impl_iterator<'a>(values: &'a [u8]) -> impl Iterator<Item = &'a u8> + 'a {
        values.iter()
    }

    #[inference_stage("execute")]
    fn impl_fn(n: u8) -> impl Fn(u8) -> u8 {
        move |x| x + n
    }

    #[inference_stage("execute")]
    fn two_impls<'a>(values: &'a [u8]) -> (impl Iterator<Item = u8> + 'a, impl Fn(u8) -> u8 + 'a) {
        (values.iter().copied(), move |x| x + values[0])
    }

    #[inference_stage("execute")]
    fn dyn_of_impl() -> Box<dyn Iterator<Item = impl Display>> {
        Box::new(vec![1u8].into_iter())
    }

    #[inference_stage("execute")]
    fn impl_argument(values: impl IntoIterator<Item = u8>) -> u8 {
        values.into_iter().sum()
    }

    #[inference_stage("execute")]
    fn never() -> ! {
        panic!("never")
    }

    #[inference_stage("execute")]
    fn never_loop(n: u32) -> ! {
        loop {
            if n == 3 {
                std::panic::panic_any(n)
            }
        }
    }

    #[inference_stage("execute")]
    unsafe fn unsafe_fn(p: *const u8) -> u8 {
        unsafe { *p }
    }

    #[inference_stage("execute")]
    extern "C" fn extern_fn(a: i32) -> i32 {
        if a > 1 {
            return 7;
        }
        a
    }

    #[inference_stage("execute")]
    pub(crate) unsafe extern "C" fn unsafe_extern_fn(a: *const i32) -> i32 {
        unsafe { *a }
    }

    struct Wrap {
        w: u8,
        _rest: u8,
    }

    #[inference_stage("execute")]
    fn patterns(
        (a, b): (u8, u8),
        _: String,
        [c, ..]: [u8; 3],
        Wrap { w, .. }: Wrap,
        mut n: u32,
    ) -> u32 {
        n += 1;
        n + u32::from(a + b + c + w)
    }

    #[inference_stage("execute")]
    fn more_patterns(
        x @ 0..=255: u8,
        ref y: u8,
        z @ (w, _): (u8, u8),
        (mut v, _u): (u8, u8),
    ) -> u8 {
        v += 1;
        x + *y + z.1 + w + v
    }

    #[inference_stage("execute")]
    fn raw_names(r#type: u8, r#match: u8) -> u8 {
        r#type + r#match
    }

    #[inference_stage("execute")]
    fn parameter_attributes(
        #[cfg(any())] a: Missing,
        #[cfg(all())] b: u8,
        #[allow(unused)] c: u8,
    ) -> u8 {
        b
    }

    #[inference_stage("execute")]
    fn generic<T: Clone, const N: usize>(x: &T) -> [T; N]
    where
        T: Debug,
    {
        std::array::from_fn(|_| x.clone())
    }

    #[inference_stage("execute")]
    fn higher_ranked<F>(f: F) -> usize
    where
        F: for<'a> Fn(&'a str) -> &'a str,
    {
        f("abc").len()
    }

    #[inference_stage("execute")]
    fn labels_and_loops(n: u8) -> Option<u8> {
        'outer: loop {
            for i in 0..n {
                if i == 3 {
                    break 'outer Some(i);
                }
            }
            return None;
        }
    }

    #[inference_stage("execute")]
    fn recursion(n: u64) -> u64 {
        if n == 0 {
            0
        } else {
            n + recursion(n - 1)
        }
    }

    #[inference_stage("execute")]
    fn tail_temporary(lock: &Mutex<u8>) -> u8 {
        *lock.lock().unwrap()
    }

    #[inference_stage("execute")]
    #[inline(always)]
    #[must_use]
    #[doc(hidden)]
    #[deprecated]
    fn attributes() -> u8 {
        1
    }

    #[inference_stage("execute")]
    fn inner_attribute() -> u8 {
        #![allow(unused_variables)]
        let x = 1;
        2
    }

    #[inference_stage("execute")]
    fn mutates(mut values: Vec<u8>) -> Vec<u8> {
        values.push(1);
        values
    }

    #[inference_stage("execute")]
    fn callback(mut f: impl FnMut(u8) -> u8) -> u8 {
        f(1) + f(2)
    }

    #[inference_stage("execute")]
    fn dyn_callback(f: &mut dyn FnMut(u8) -> u8) -> u8 {
        f(1) + f(2)
    }

    #[inference_stage("execute")]
    fn elided(x: &str) -> Cow<'_, str> {
        if x.is_empty() {
            return Cow::Owned(String::new());
        }
        Cow::Borrowed(x)
    }

    #[inference_stage("execute")]
    fn split(values: &mut [u8]) -> (&mut [u8], &mut [u8]) {
        let n = values.len() / 2;
        values.split_at_mut(n)
    }

    #[inference_stage("execute")]
    fn inferred() -> Vec<u8> {
        let mut values = Vec::new();
        values.extend([1, 2]);
        values.into_iter().collect()
    }

    #[inference_stage("execute")]
    fn big(values: [u64; 512]) -> [u64; 512] {
        values
    }

    #[inference_stage("execute")]
    fn own_macro() -> Vec<u8> {
        macro_rules! make { ($($x:expr),*) => { vec![$($x),*] } }
        make![1, 2]
    }

    #[track_caller]
    #[inference_stage("execute")]
    fn tracked() -> u32 {
        std::panic::Location::caller().line()
    }

    #[inference_stage("execute")]
    #[track_caller]
    fn tracked_result(result: Result<u8, String>) -> Result<u8, String> {
        result
    }

    #[test]
    fn results_and_counts() {
        let _test = start();
        unit();
        explicit_unit(2);
        assert!(early("x").is_err());
        assert_eq!(early("9"), Ok(0));
        let mut values = vec![1];
        *reborrow(&1, &mut values) = 4;
        assert_eq!(values[0], 4);
        assert!(borrow_or_fail(&mut values).is_ok());
        assert_eq!(counts(), "execute:error=1 execute:ok=5");

        let (mut a, mut b) = (1, 2);
        {
            let (x, y) = pair(&mut a, &mut b);
            *x += 1;
            *y += 1;
        }
        assert_eq!((a, b), (3, 3));
        assert_eq!(coerced()(), 1);
        assert_eq!(coerced_slice().len(), 3);
        assert!(nested_impl().is_ok());
        assert!(impl_with_boxed_error("x").is_err());
        assert_eq!(impl_iterator(&[1, 2]).count(), 2);
        assert_eq!(impl_fn(1)(2), 3);
        assert_eq!(two_impls(&[1]).1(2), 3);
        assert_eq!(dyn_of_impl().count(), 1);
        assert_eq!(impl_argument(vec![1]), 1);
        assert_eq!(counts(), "execute:error=1 execute:ok=9");

        assert!(catch_unwind(|| never()).is_err());
        assert!(catch_unwind(|| never_loop(3)).is_err());
        assert_eq!(counts(), "execute:panicked=2");

        assert_eq!(unsafe { unsafe_fn(&3) }, 3);
        assert_eq!(extern_fn(9), 7);
        assert_eq!(unsafe { unsafe_extern_fn(&3) }, 3);
        assert_eq!(
            patterns((1, 2), String::new(), [3, 0, 0], Wrap { w: 4, _rest: 0 }, 5),
            16
        );
        assert_eq!(more_patterns(1, 2, (3, 4), (5, 6)), 16);
        assert_eq!(raw_names(1, 2), 3);
        assert_eq!(parameter_attributes(1, 2), 1);
        let _: [u8; 3] = generic(&1u8);
        assert_eq!(higher_ranked(|s| s), 3);
        assert_eq!(labels_and_loops(5), Some(3));
        assert_eq!(tail_temporary(&Mutex::new(1)), 1);
        assert_eq!(counts(), "execute:ok=11");

        #[allow(deprecated)]
        let _ = attributes();
        assert_eq!(inner_attribute(), 2);
        assert_eq!(mutates(vec![]), [1]);
        assert_eq!(callback(|x| x), 3);
        assert_eq!(dyn_callback(&mut |x| x), 3);
        assert_eq!(elided("x"), "x");
        assert_eq!(split(&mut [1, 2]).0.len(), 1);
        assert_eq!(inferred(), [1, 2]);
        assert_eq!(big([0; 512])[0], 0);
        assert_eq!(own_macro(), [1, 2]);
        assert_eq!(counts(), "execute:ok=10");
    }

    #[test]
    fn each_level_of_a_recursion_counts() {
        let _test = start();
        assert_eq!(recursion(3), 6);
        assert_eq!(counts(), "execute:ok=4");
    }

    #[test]
    fn track_caller_still_tracks() {
        let _test = start();
        assert_eq!(tracked(), line!());
        assert!(tracked_result(Err("x".into())).is_err());
        assert_eq!(counts(), "execute:error=1 execute:ok=1");
    }
}

mod hygiene {
    use super::*;

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
        pub(crate) fn d(
        ) -> ::std::pin::Pin<::std::boxed::Box<dyn ::std::future::Future<Output = u8>>> {
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
}

mod methods {
    use super::*;

    struct Model {
        n: u32,
    }

    impl Model {
        #[inference_stage("execute")]
        fn by_reference(&self) -> u32 {
            self.n
        }

        #[inference_stage("execute")]
        fn by_mutable_reference(&mut self, k: &mut u8) -> (&mut u32, u8) {
            *k += 1;
            (&mut self.n, *k)
        }

        #[inference_stage("execute")]
        fn by_value(self) -> u32 {
            self.n
        }

        #[inference_stage("execute")]
        fn by_mutable_value(mut self) -> u32 {
            self.n += 1;
            self.n
        }

        #[inference_stage("execute")]
        fn by_box(self: Box<Self>) -> Self {
            *self
        }

        #[inference_stage("execute")]
        fn by_pin(self: Pin<&mut Self>) -> &mut u32 {
            &mut self.get_mut().n
        }

        #[inference_stage("execute")]
        fn by_arc(self: Arc<Self>) -> u32 {
            self.n
        }

        #[inference_stage("execute")]
        fn new() -> Self
        where
            Self: Sized,
        {
            Model { n: 1 }
        }

        #[inference_stage("execute")]
        async fn run(&mut self, k: &mut u8) -> Result<&mut u32, String> {
            *k += 1;
            if self.n == 99 {
                return Err("x".into());
            }
            Ok(&mut self.n)
        }

        #[inference_stage("execute")]
        async fn consume(self) -> u32 {
            self.n
        }
    }

    trait Step {
        const C: u8;
        type A: Default;

        #[inference_stage("execute")]
        fn default_body(&self) -> u8 {
            Self::C
        }

        #[inference_stage("execute")]
        fn associated(&self) -> Self::A
        where
            Self: Sized,
        {
            <Self::A as Default>::default()
        }

        fn required(&self) -> u8;
    }

    impl Step for Model {
        const C: u8 = 5;
        type A = u16;

        #[inference_stage("execute")]
        fn required(&self) -> u8 {
            self.default_body()
        }
    }

    trait AsyncStep {
        #[inference_stage("execute")]
        fn default_future(&self) -> impl Future<Output = u8> + Send
        where
            Self: Sync,
        {
            async { 1 }
        }

        fn required(&self) -> impl Future<Output = Result<u8, String>> + Send;
    }

    impl AsyncStep for Model {
        #[inference_stage("execute")]
        async fn required(&self) -> Result<u8, String> {
            Err("e".into())
        }
    }

    struct Generic<'a, T: ?Sized>(&'a T);

    impl<'a, T: ?Sized + Debug> Generic<'a, T> {
        const N: usize = 3;

        #[inference_stage("execute")]
        fn get(&self) -> &'a T {
            self.0
        }

        #[inference_stage("execute")]
        async fn get_async(&self) -> &'a T {
            pause().await;
            self.0
        }

        #[inference_stage("execute")]
        fn constant(&self) -> usize {
            Self::N
        }

        #[inference_stage("execute")]
        fn iter<'s>(&'s self) -> impl Iterator<Item = &'a T> + 's {
            std::iter::once(self.0)
        }
    }

    trait Lend {
        type Out<'x>
        where
            Self: 'x;
        fn lend<'x>(&'x mut self) -> Self::Out<'x>;
    }

    impl Lend for String {
        type Out<'x> = &'x mut str;

        #[inference_stage("execute")]
        fn lend<'x>(&'x mut self) -> Self::Out<'x> {
            self.as_mut_str()
        }
    }

    struct Part(String, String);

    impl Part {
        #[inference_stage("execute")]
        fn take_one(self) -> String {
            self.0
        }
    }

    impl std::str::FromStr for Model {
        type Err = String;

        #[inference_stage("execute")]
        fn from_str(text: &str) -> Result<Self, Self::Err> {
            if text.is_empty() {
                Err("empty".into())
            } else {
                Ok(Model { n: 0 })
            }
        }
    }

    #[test]
    fn every_receiver() {
        let _test = start();
        let mut model = Model { n: 1 };
        assert_eq!(model.by_reference(), 1);
        *model.by_mutable_reference(&mut 1).0 += 1;
        *Pin::new(&mut model).by_pin() = 7;
        assert_eq!(Box::new(model).by_box().n, 7);
        assert_eq!(Arc::new(Model::new()).by_arc(), 1);
        assert_eq!(Model { n: 1 }.by_mutable_value(), 2);
        assert_eq!(Model { n: 1 }.by_value(), 1);
        assert_eq!(Part("a".into(), "b".into()).take_one(), "a");
        assert_eq!(counts(), "execute:ok=9");
        let mut model = Model { n: 99 };
        assert!(block(model.run(&mut 1)).is_err());
        assert_eq!(block(model.consume()), 99);
        assert_eq!(counts(), "execute:error=1 execute:ok=1");
    }

    #[test]
    fn traits_and_generics() {
        let _test = start();
        let model = Model { n: 1 };
        assert_eq!(Step::required(&model), 5);
        assert_eq!(model.associated(), 0);
        assert_eq!(block(model.default_future()), 1);
        assert!(block(AsyncStep::required(&model)).is_err());
        assert!("".parse::<Model>().is_err());
        assert_eq!(counts(), "execute:error=2 execute:ok=4");
        let generic = Generic("x");
        assert_eq!(
            (
                generic.get(),
                block(generic.get_async()),
                generic.constant(),
                generic.iter().count()
            ),
            ("x", "x", 3, 1)
        );
        assert_eq!(String::from("y").lend(), "y");
        assert_eq!(counts(), "execute:ok=5");
    }
}

mod asynchronous {
    use super::*;

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
        assert!(future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_pending());
        drop(future);
        assert_eq!(counts(), "execute:cancelled=1");
    }
}

mod requests {
    use super::*;

    #[inference_stage("preprocess")]
    async fn prepare(x: u8) -> u8 {
        x
    }

    #[inference_request(ingress = "http")]
    async fn handler(x: u8) -> Result<u8, String> {
        pause().await;
        let x = prepare(x).await;
        if x > 1 {
            Err("x".into())
        } else {
            Ok(x)
        }
    }

    #[inference_request(root)]
    fn sync_handler(text: &str) -> Result<u8, std::num::ParseIntError> {
        text.parse()
    }

    #[inference_request]
    fn hidden_type() -> impl Debug {}

    #[inference_request]
    fn future() -> impl Future<Output = ()> {
        pause()
    }

    #[inference_request]
    async fn never() -> ! {
        panic!("x")
    }

    #[inference_request]
    fn sync_never() -> ! {
        panic!("x")
    }

    #[inference_request]
    #[track_caller]
    fn tracked() -> u32 {
        std::panic::Location::caller().line()
    }

    #[test]
    fn every_shape_of_request() {
        let _test = start();
        assert!(block(send(handler(1))).is_ok());
        assert!(block(handler(2)).is_err());
        assert!(sync_handler("1").is_ok());
        assert_eq!(counts(), "preprocess:ok=2 request:error=1 request:ok=2");
        let _ = hidden_type();
        block(future());
        assert!(catch_unwind(|| block(never())).is_err());
        assert!(catch_unwind(|| sync_never()).is_err());
        assert_eq!(tracked(), line!());
        assert_eq!(counts(), "request:ok=3 request:panicked=2");
    }
}

mod drop_order {
    use super::*;
    use std::cell::RefCell;

    thread_local!(static LOG: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) });

    struct Logged(&'static str);

    impl Drop for Logged {
        fn drop(&mut self) {
            LOG.with(|log| log.borrow_mut().push(self.0));
        }
    }

    fn log() -> String {
        LOG.with(|log| log.borrow_mut().split_off(0)).join(" ")
    }

    struct Owner(Logged, Logged);

    macro_rules! twice {
        ($plain:ident, $measured:ident, ($($parameters:tt)*), $body:block) => {
            fn $plain($($parameters)*) -> u8 $body
            #[inference_stage("execute")]
            fn $measured($($parameters)*) -> u8 $body
        };
        (async $plain:ident, $measured:ident, ($($parameters:tt)*), $body:block) => {
            async fn $plain($($parameters)*) -> u8 $body
            #[inference_stage("execute")]
            async fn $measured($($parameters)*) -> u8 $body
        };
    }

    twice!(uses, uses_measured, (a: Logged, b: Logged, c: Logged), { let _local = Logged("local"); let _used = (&c, &a, &b); 1 });
    twice!(unused, unused_measured, (a: Logged, _b: Logged, c: Logged), { let _used = &a; drop(c); 1 });
    twice!(pattern, pattern_measured, (a: Logged, (b, c): (Logged, Logged), mut d: Logged), { d.0 = "D"; let _used = (&b, &d, &c, &a); 1 });
    twice!(early, early_measured, (a: Logged, b: Logged), { let local = Logged("local"); if local.0 == "local" { return b.0.len() as u8; } a.0.len() as u8 });
    twice!(async uses_async, uses_async_measured, (a: Logged, b: Logged, c: Logged), { let _local = Logged("local"); pause().await; let _used = (&c, &a, &b); 1 });
    twice!(async unused_async, unused_async_measured, (a: Logged, _b: Logged, c: Logged), { let _used = &a; pause().await; drop(c); 1 });

    impl Owner {
        fn whole(self, a: Logged) -> u8 {
            let _used = (&self.1, &a);
            1
        }

        #[inference_stage("execute")]
        fn whole_measured(self, a: Logged) -> u8 {
            let _used = (&self.1, &a);
            1
        }

        async fn later(self, a: Logged) -> u8 {
            pause().await;
            let _used = (&self.1, &a);
            1
        }

        #[inference_stage("execute")]
        async fn later_measured(self, a: Logged) -> u8 {
            pause().await;
            let _used = (&self.1, &a);
            1
        }
    }

    fn three() -> (Logged, Logged, Logged) {
        (Logged("a"), Logged("b"), Logged("c"))
    }

    /// Polled once, then dropped.
    fn halfway<F: Future>(future: F) {
        let mut future = Box::pin(future);
        let _ = future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
    }

    macro_rules! same {
        ($plain:expr, $measured:expr) => {
            let _ = $plain;
            let plain = log();
            let _ = $measured;
            assert_eq!(plain, log(), stringify!($measured));
        };
    }

    #[test]
    fn arguments_are_dropped_as_without_the_attribute() {
        let _test = start();
        let ((a, b, c), (d, e, f)) = (three(), three());
        same!(uses(a, b, c), uses_measured(d, e, f));
        let ((a, b, c), (d, e, f)) = (three(), three());
        same!(unused(a, b, c), unused_measured(d, e, f));
        let ((a, b, c), (d, e, f)) = (three(), three());
        same!(
            pattern(a, (b, c), Logged("d")),
            pattern_measured(d, (e, f), Logged("d"))
        );
        same!(
            early(Logged("a"), Logged("b")),
            early_measured(Logged("a"), Logged("b"))
        );
        let owner = || Owner(Logged("0"), Logged("1"));
        same!(
            owner().whole(Logged("a")),
            owner().whole_measured(Logged("a"))
        );
    }

    #[test]
    fn arguments_of_futures_are_dropped_as_without_the_attribute() {
        let _test = start();
        let ((a, b, c), (d, e, f)) = (three(), three());
        same!(
            block(uses_async(a, b, c)),
            block(uses_async_measured(d, e, f))
        );
        let ((a, b, c), (d, e, f)) = (three(), three());
        same!(
            halfway(uses_async(a, b, c)),
            halfway(uses_async_measured(d, e, f))
        );
        let ((a, b, c), (d, e, f)) = (three(), three());
        same!(
            drop(uses_async(a, b, c)),
            drop(uses_async_measured(d, e, f))
        );
        let ((a, b, c), (d, e, f)) = (three(), three());
        same!(
            block(unused_async(a, b, c)),
            block(unused_async_measured(d, e, f))
        );
        let owner = || Owner(Logged("0"), Logged("1"));
        same!(
            block(owner().later(Logged("a"))),
            block(owner().later_measured(Logged("a")))
        );
    }
}

mod beside_test_attributes {
    use super::*;

    #[inference_stage("execute")]
    #[tokio::test]
    async fn tokio_test_below() {
        pause_in_tokio().await;
    }

    #[tokio::test]
    #[inference_stage("execute")]
    async fn tokio_test_above() {
        pause_in_tokio().await;
    }

    #[inference_stage("execute")]
    #[test]
    fn test_below() {}

    #[test]
    #[inference_stage("execute")]
    fn test_above() -> Result<(), String> {
        Ok(())
    }

    async fn pause_in_tokio() {
        tokio::task::yield_now().await;
    }
}

mod both_attributes {
    use super::*;

    #[inference_request]
    #[inference_stage("execute")]
    async fn request_above(x: u8) -> u8 {
        x
    }

    #[inference_stage("execute")]
    #[inference_request]
    fn stage_above(mut x: Vec<u8>) -> Vec<u8> {
        x.push(1);
        x
    }

    #[test]
    fn each_counts() {
        let _test = start();
        assert_eq!(block(send(request_above(1))), 1);
        assert_eq!(stage_above(vec![]), [1]);
        assert_eq!(counts(), "execute:ok=2 request:ok=2");
    }
}

mod expressions_of_the_attribute {
    use super::*;

    #[derive(Clone)]
    struct App {
        warm: bool,
    }

    // Read before the body moves the arguments away; an argument that only the attribute uses is no unused variable.
    #[inference_request(labels(warm = app.warm, paying = paying), tier = Some(!paying))]
    async fn handler(Wrapper(app): Wrapper<App>, paying: bool, names: Vec<String>) -> usize {
        let task = async move { drop(app) };
        task.await;
        names.len()
    }

    struct Wrapper<T>(T);

    #[inference_stage("execute", labels(empty = names.lock().unwrap().is_empty(), kind = "a"))]
    async fn with_a_lock(names: Mutex<Vec<String>>) -> usize {
        pause().await;
        names.into_inner().map_or(0, |names| names.len())
    }

    #[inference_stage("execute", labels(first = *flag, negated = !*flag))]
    fn returns_what_it_borrowed<'a>(flag: &'a mut bool) -> &'a mut bool {
        flag
    }

    #[test]
    fn they_borrow_and_let_go() {
        let _test = start();
        assert_eq!(
            block(send(handler(Wrapper(App { warm: true }), true, vec![]))),
            0
        );
        assert_eq!(block(send(with_a_lock(Mutex::new(vec![])))), 0);
        *returns_what_it_borrowed(&mut true) = false;
        assert_eq!(counts(), "execute:ok=2 request:ok=1");
    }
}
