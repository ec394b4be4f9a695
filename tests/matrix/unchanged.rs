//! With any features and with none, as long as nobody records: an annotated function gives what it gives without its
//! attribute, drops in the same order, panics in the same words, and asks its attribute's expressions for nothing.
#![deny(warnings)]

use instrument_inference::{Classify, ErrorType, LabelValue, inference_request, inference_stage};
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

thread_local! {
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

fn log(word: impl Into<String>) {
    LOG.with(|log| log.borrow_mut().push(word.into()));
}

fn logged() -> Vec<String> {
    LOG.with(RefCell::take)
}

/// Says when it is dropped.
struct Noisy(&'static str);

impl Drop for Noisy {
    fn drop(&mut self) {
        log(format!("drop {}", self.0));
    }
}

/// Pending once.
async fn pause() {
    let mut first = true;
    std::future::poll_fn(|_| {
        if std::mem::take(&mut first) {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    })
    .await;
}

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn finish<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = poll(future.as_mut()) {
            return value;
        }
    }
}

/// The same functions in a module, each under the given attribute.
macro_rules! functions {
    ($module:ident, $($attribute:tt)*) => {
        mod $module {
            #[allow(unused_imports, reason = "the plain functions need none of it")]
            use super::*;

            $($attribute)*
            pub(crate) fn parse(text: &str) -> Result<u8, Box<dyn std::error::Error>> {
                let value: u8 = text.parse()?;
                if value > 9 {
                    return Err("too large".into());
                }
                Ok(value)
            }

            $($attribute)*
            pub(crate) fn reborrow<'a>(values: &'a mut [u8], _unused: &u8) -> Option<&'a mut u8> {
                values.first_mut()
            }

            $($attribute)*
            pub(crate) fn hidden(n: u8) -> Result<impl Iterator<Item = u8>, String> {
                if n == 0 { Err("none".to_owned()) } else { Ok(0..n) }
            }

            $($attribute)*
            pub(crate) fn drops(first: Noisy, (left, _right): (Noisy, Noisy), _ignored: Noisy) {
                let _local = Noisy("local");
                log(format!("body {}{}", first.0, left.0));
            }

            $($attribute)*
            pub(crate) fn panics(_held: Noisy, why: &'static str) -> u8 {
                std::panic::panic_any(why)
            }

            $($attribute)*
            pub(crate) fn never(_held: Noisy) -> ! {
                std::panic::panic_any("never")
            }

            $($attribute)*
            #[track_caller]
            pub(crate) fn line() -> u32 {
                std::panic::Location::caller().line()
            }

            $($attribute)*
            pub(crate) async fn waits(first: Noisy, _ignored: Noisy, last: Noisy) -> Result<u8, String> {
                pause().await;
                drop(last);
                log(first.0);
                Err("late".to_owned())
            }

            $($attribute)*
            pub(crate) fn later(value: u8) -> impl Future<Output = u8> + Send {
                log("made");
                async move {
                    pause().await;
                    value
                }
            }

            $($attribute)*
            pub(crate) fn boxed<'a>(value: &'a u8) -> Pin<Box<dyn Future<Output = &'a u8> + Send + 'a>> {
                Box::pin(async move {
                    pause().await;
                    value
                })
            }

            pub(crate) struct Model(pub(crate) u8);

            pub(crate) trait Step {
                const SHIFT: u8;

                $($attribute)*
                fn step(&self, n: u8) -> u8 {
                    Self::SHIFT + n
                }

                fn take(self: Arc<Self>) -> u8;
            }

            impl Step for Model {
                const SHIFT: u8 = 3;

                $($attribute)*
                fn take(self: Arc<Self>) -> u8 {
                    self.0
                }
            }

            impl Model {
                $($attribute)*
                pub(crate) fn generic<T: Display + ?Sized, const N: usize>(&mut self, shown: &T) -> [String; N] {
                    self.0 += 1;
                    std::array::from_fn(|at| format!("{at}{shown}{}", self.0))
                }
            }
        }
    };
}

functions!(plain,);
functions!(staged, #[inference_stage("execute")]);
functions!(requested, #[inference_request]);

/// All that can be seen of the functions of a module.
macro_rules! seen {
    ($module:ident) => {{
        use $module::{
            Model, Step, boxed, drops, hidden, later, line, never, panics, parse, reborrow, waits,
        };
        for text in ["7", "x", "12"] {
            log(format!(
                "{:?}",
                parse(text).map_err(|error| error.to_string())
            ));
        }
        log(format!("{:?}", reborrow(&mut [1, 2], &0)));
        log(format!("{:?}", hidden(3).map(Iterator::collect::<Vec<_>>)));
        log(format!("{:?}", hidden(0).map(|_| ())));
        drops(Noisy("a"), (Noisy("c"), Noisy("d")), Noisy("e"));
        let caught = catch_unwind(|| panics(Noisy("held"), "why"));
        log(format!("{:?}", caught.unwrap_err().downcast_ref::<&str>()));
        let caught = catch_unwind(|| never(Noisy("held")));
        log(format!("{:?}", caught.unwrap_err().downcast_ref::<&str>()));
        assert_eq!(line(), line!(), "the caller is where the call stands");
        log(format!(
            "{:?}",
            finish(waits(Noisy("f"), Noisy("g"), Noisy("h")))
        ));
        drop(waits(Noisy("unpolled"), Noisy("i"), Noisy("j")));
        {
            let mut left = pin!(waits(Noisy("left"), Noisy("k"), Noisy("l")));
            assert!(poll(left.as_mut()).is_pending());
            log("leaving");
        }
        log(finish(later(4)).to_string());
        log(finish(boxed(&5)).to_string());
        let mut model = Model(1);
        log(format!("{:?}", model.generic::<str, 2>("x")));
        log(model.step(2).to_string());
        log(Arc::new(model).take().to_string());
        let caught = catch_unwind(AssertUnwindSafe(|| {
            finish(async { panics(Noisy("inner"), "async") })
        }));
        log(format!("{:?}", caught.unwrap_err().downcast_ref::<&str>()));
        logged()
    }};
}

#[test]
fn annotated_functions_behave_as_written() {
    let as_written = seen!(plain);
    assert!(as_written.len() > 30, "{as_written:?}");
    assert_eq!(seen!(staged), as_written);
    assert_eq!(seen!(requested), as_written);
}

#[derive(Clone, Copy, LabelValue)]
enum Kind {
    Short,
    Long,
}

#[derive(Debug, Classify)]
enum Failure {
    #[classify(cuda_oom)]
    Memory,
    #[classify(source)]
    Io(std::io::Error),
}

fn asked<T>(value: T) -> T {
    ASKED.set(ASKED.get() + 1);
    value
}

/// Only the attributes use these.
mod only {
    pub(crate) use std::convert::identity as same;

    pub(crate) fn error_type(error: &super::Failure) -> super::ErrorType {
        super::Classify::error_type(error)
    }

    pub(crate) fn hidden(error: &super::Failure) -> super::ErrorType {
        super::Classify::error_type(error)
    }
}

#[inference_stage("execute", labels(kind = asked(kind), long = only::same(asked(kind).index() == 1), cached = asked(Some(true)), source = "test"), error = only::error_type)]
fn labelled(kind: Kind, ok: bool) -> Result<(), Failure> {
    if ok { Ok(()) } else { Err(Failure::Memory) }
}

#[inference_stage("execute", batch = asked(size))]
async fn batched(size: usize) -> u8 {
    pause().await;
    1
}

#[inference_stage("execute", error = only::hidden)]
fn hidden_error(fails: bool) -> Result<impl Iterator<Item = u8>, Failure> {
    if fails {
        Err(Failure::Memory)
    } else {
        Ok(0..2)
    }
}

#[inference_request(ingress = asked(kind), tenant = asked(kind), tier = asked(kind), labels(more = asked(kind)), route = asked("/tenants"))]
async fn tenants(kind: Kind) -> u8 {
    pause().await;
    2
}

#[test]
fn expressions_of_the_attribute_are_not_evaluated_while_nobody_records() {
    assert!(labelled(Kind::Short, true).is_ok() && labelled(Kind::Long, false).is_err());
    assert_eq!(finish(batched(3)), 1);
    assert!(hidden_error(true).is_err() && hidden_error(false).is_ok());
    assert_eq!(finish(tenants(Kind::Long)), 2);
    assert_eq!(ASKED.get(), 0);
}

#[test]
fn an_error_says_what_it_is_with_any_features() {
    assert_eq!(Failure::Memory.error_type(), ErrorType::CudaOom);
    let slow = std::io::Error::from(std::io::ErrorKind::TimedOut);
    assert_eq!(Failure::Io(slow).error_type(), ErrorType::DependencyTimeout);
    assert_eq!(
        "CUDA_ERROR_OUT_OF_MEMORY: out of memory".error_type(),
        ErrorType::CudaOom
    );
}

/// The facade under another name, as a service's own crate may re-export it.
mod again {
    pub(crate) use instrument_inference::*;
}

#[again::inference_stage("execute", labels(kind = kind), crate = crate::again)]
fn by_another_path(kind: Kind) -> u8 {
    kind.index().try_into().unwrap_or(9)
}

#[test]
fn two_crates_may_know_the_facade_by_two_names() {
    assert_eq!(by_another_path(Kind::Long), 1);
}

/// Nothing is added where nothing is measured.
#[cfg(not(feature = "metrics"))]
#[test]
fn without_recording_a_future_is_as_large_as_written() {
    let sizes = [
        size_of_val(&plain::waits(Noisy("a"), Noisy("b"), Noisy("c"))),
        size_of_val(&staged::waits(Noisy("a"), Noisy("b"), Noisy("c"))),
        size_of_val(&requested::waits(Noisy("a"), Noisy("b"), Noisy("c"))),
    ];
    assert_eq!(sizes, [sizes[0]; 3]);
}
