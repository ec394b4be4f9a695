//! Const generics, generic associated types, `where Self: Sized`, each receiver, and traits of the standard library.

use instrument_inference::inference_stage;
use std::future::Future;
use std::pin::Pin;

struct S(u8);

struct Mat<const N: usize>([u8; N]);
impl<const N: usize> Mat<N> {
    #[inference_stage("execute")]
    fn a<const M: usize>(&self, _x: [u8; M]) -> [[u8; N]; M] {
        [[0; N]; M]
    }
    #[inference_stage("execute")]
    async fn b(self) -> [u8; N] {
        self.0
    }
    #[inference_stage("execute")]
    fn c(x: [u8; 1 + 2]) -> [u8; 3] {
        x
    }
}
trait Tr {
    type G<'a, T: 'a>
    where
        Self: 'a;
    const K: usize;
    fn z(&self) -> u8;
    #[inference_stage("execute")]
    fn d(self) -> Self
    where
        Self: Sized,
    {
        self
    }
    #[inference_stage("execute")]
    fn e(&self) -> Box<dyn Fn() -> u8 + '_>
    where
        Self: Sized,
    {
        Box::new(move || self.z())
    }
    #[inference_stage("execute")]
    fn f(self: Box<Self>) -> Box<Self> {
        self
    }
    #[inference_stage("execute")]
    fn g(self: std::rc::Rc<Self>) -> usize {
        Self::K
    }
    #[inference_stage("execute")]
    async fn h(&self) -> u8
    where
        Self: Sync,
    {
        self.z()
    }
    #[inference_stage("execute")]
    fn i(self: &std::sync::Arc<Self>) -> u8 {
        self.z()
    }
    #[inference_stage("execute")]
    fn j(self: Pin<Box<Self>>) -> u8 {
        self.z()
    }
    #[inference_stage("execute")]
    fn k(self: &mut &Self) -> u8 {
        self.z()
    }
    #[inference_stage("execute")]
    async fn l(self: Pin<&mut Self>) -> u8 {
        self.z()
    }
}
impl Tr for Vec<u8> {
    type G<'a, T: 'a> = &'a T;
    const K: usize = 1;
    #[inference_stage("execute")]
    fn z(&self) -> u8 {
        self[0]
    }
}
trait Lend2 {
    type O<'a>
    where
        Self: 'a;
    async fn next<'a>(&'a mut self) -> Option<Self::O<'a>>;
    fn it<'a>(&'a mut self) -> impl Iterator<Item = Self::O<'a>>;
}
impl Lend2 for Vec<u8> {
    type O<'a> = &'a mut u8;
    #[inference_stage("execute")]
    async fn next<'a>(&'a mut self) -> Option<Self::O<'a>> {
        self.first_mut()
    }
    #[inference_stage("execute")]
    fn it<'a>(&'a mut self) -> impl Iterator<Item = Self::O<'a>> {
        self.iter_mut()
    }
}
impl From<S> for u8 {
    #[inference_stage("execute")]
    fn from(s: S) -> u8 {
        s.0
    }
}
impl Drop for S {
    #[inference_stage("execute")]
    fn drop(&mut self) {}
}
impl Iterator for Mat<1> {
    type Item = u8;
    #[inference_stage("execute")]
    fn next(&mut self) -> Option<Self::Item> {
        None
    }
}
impl Future for Mat<2> {
    type Output = u8;
    #[inference_stage("execute")]
    fn poll(self: Pin<&mut Self>, _cx: &mut std::task::Context<'_>) -> std::task::Poll<u8> {
        std::task::Poll::Ready(1)
    }
}
impl<'a, T> std::ops::Index<&'a str> for Mat3<T>
where
    T: Clone,
{
    type Output = T;
    #[inference_stage("execute")]
    fn index(&self, _: &'a str) -> &T {
        &self.0
    }
}
struct Mat3<T>(T);
#[inference_stage("execute")]
fn hr<F>(f: F)
where
    for<'a> F: Fn(&'a str) -> Box<dyn Fn(&u8) -> &'a str + 'a>,
{
    let x = 1;
    f("x")(&x);
}
#[inference_stage("execute")]
fn dynarg(x: &(dyn std::any::Any + Send), y: Box<dyn FnOnce() + '_>) -> bool {
    y();
    x.is::<u8>()
}
#[inference_stage("execute")]
async fn anon(x: &u8, y: &u8) -> u8 {
    x + y
}
#[inference_stage("execute")]
fn fnptr(f: fn(&u8) -> &u8, g: unsafe extern "C" fn(u8)) -> fn(&u8) -> &u8 {
    let _ = g;
    f
}
#[inference_stage("execute")]
fn trailing(a: u8, b: u8) -> (u8, u8) {
    (a, b)
}
#[inference_stage("execute")]
fn looped() -> u8 {
    let mut n = 0;
    loop {
        n += 1;
        if n > 3 {
            break n;
        }
    }
}
#[inference_stage("execute")]
fn let_else(x: Option<u8>) -> u8 {
    let Some(x) = x else { return 0 };
    x
}
#[inference_stage("execute")]
fn only_macro() -> String {
    format!("{}", 1)
}
#[inference_stage("execute")]
fn stat() -> &'static str {
    static X: &str = "x";
    const Y: usize = 1;
    let _ = Y;
    X
}
#[inference_stage("execute")]
fn trailing_semi() -> u8 {
    return 1;
}
#[inference_stage("execute")]
async fn async_closure() -> u8 {
    let f = async |x: u8| x;
    f(1).await
}
#[inference_stage("execute")]
fn use_inside() -> u8 {
    use std::collections::HashMap as core;
    let _m: core<u8, u8> = core::new();
    1
}
#[inference_stage("execute")]
async fn sel() -> u8 {
    tokio::select! { x = async { 1 } => x, _ = std::future::pending::<()>() => 2 }
}
#[inference_stage("execute")]
fn closures_in_args(f: impl Fn(Box<dyn Fn(u8) -> u8>) -> u8) -> u8 {
    f(Box::new(|x| x))
}
#[test]
fn they_count() {
    let _test = crate::probe::start();
    let mut values = vec![1_u8, 2];
    assert_eq!(crate::probe::block(Lend2::next(&mut values)), Some(&mut 1));
    assert_eq!(Lend2::it(&mut values).count(), 2);
    assert_eq!(u8::from(S(3)), 3);
    assert_eq!(Box::new(values).f().d().e()(), 1);
    assert_eq!(crate::probe::counts(), "execute:ok=8");
}
