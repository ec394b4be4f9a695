//! Functions that return their value.

use crate::probe::{counts, start};
use instrument_inference::inference_stage;
use std::borrow::Cow;
use std::fmt::{Debug, Display};
use std::panic::catch_unwind;
use std::sync::Mutex;

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
fn more_patterns(x @ 0..=255: u8, ref y: u8, z @ (w, _): (u8, u8), (mut v, _u): (u8, u8)) -> u8 {
    v += 1;
    x + *y + z.1 + w + v
}

#[inference_stage("execute")]
fn borrowed_patterns(a: String, ref mut b: String, Two { x: ref mut c, .. }: Two) -> usize {
    b.push('b');
    c.push_str(&a);
    b.len() + c.len()
}

struct Two {
    x: String,
    _y: String,
}

impl Two {
    #[inference_stage("execute")]
    fn left_out(#[cfg(any())] self, x: u8) -> u8 {
        x
    }
}

#[inference_stage("execute")]
fn raw_names(r#type: u8, r#match: u8) -> u8 {
    r#type + r#match
}

#[inference_stage("execute")]
fn parameter_attributes(
    #[cfg(any())] a: Missing,
    #[cfg(test)] b: u8,
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
    if n == 0 { 0 } else { n + recursion(n - 1) }
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
    let two = Two {
        x: "x".into(),
        _y: String::new(),
    };
    assert_eq!(borrowed_patterns("a".into(), String::new(), two), 3);
    assert_eq!(Two::left_out(1), 1);
    assert_eq!(raw_names(1, 2), 3);
    assert_eq!(parameter_attributes(1, 2), 1);
    let _: [u8; 3] = generic(&1u8);
    assert_eq!(higher_ranked(|s| s), 3);
    assert_eq!(labels_and_loops(5), Some(3));
    assert_eq!(tail_temporary(&Mutex::new(1)), 1);
    assert_eq!(counts(), "execute:ok=13");

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
