//! What is dropped when, beside the same function without the attribute.

use crate::probe::{block, pause, start};
use instrument_inference::inference_stage;
use std::cell::RefCell;
use std::future::Future;
use std::task::{Context, Waker};

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
