//! What is dropped when, beside the same function without the attribute: every pattern, every way out, each edition's
//! rules about temporaries.
#![allow(
    unused,
    reason = "dropping is the only thing that happens to most of it"
)]

use crate::probe::{block, pause, start};
use instrument_inference::inference_stage;
use std::cell::RefCell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::task::{Context, Waker};

thread_local!(static LOG: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) });

struct Log(&'static str);

impl Drop for Log {
    fn drop(&mut self) {
        LOG.with(|log| log.borrow_mut().push(self.0));
    }
}

impl Log {
    fn one(&self) -> u8 {
        1
    }

    fn fail(&self) -> Result<u8, ()> {
        Err(())
    }
}

fn panics() -> u8 {
    // no hook, no message
    resume_unwind(Box::new("dropped on the way up"))
}

struct Three {
    a: Log,
    b: Log,
    c: Log,
}

fn three() -> Three {
    let (a, b, c) = tuple();
    Three { a, b, c }
}

fn tuple() -> (Log, Log, Log) {
    (Log("1"), Log("2"), Log("3"))
}

enum Either {
    Left(Log, Log),
    Right(Log, Log),
}

struct Unit;

/// What `of` drops, and that it drops the same with the attribute.
fn same<P, M>(what: &str, of: impl FnOnce() -> P, measured: impl FnOnce() -> M) {
    fn dropped<R>(run: impl FnOnce() -> R) -> String {
        drop(catch_unwind(AssertUnwindSafe(run)));
        LOG.with(|log| log.borrow_mut().split_off(0)).join(" ")
    }
    let plain = dropped(of);
    assert!(!plain.is_empty(), "{} drops nothing", what);
    assert_eq!(plain, dropped(measured), "{}", what);
}

/// Polled once, then dropped.
fn halfway<F: Future>(future: F) {
    let mut future = Box::pin(future);
    let _ = future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
}

/// One body in every shape that moves it.
macro_rules! functions {
    ($(#[$attribute:meta])* ($($parameters:tt)*) -> $output:ty $body:block) => {
        $(#[$attribute])*
        pub(super) fn first($($parameters)*) -> $output $body

        $(#[$attribute])*
        pub(super) fn second(before: Log, $($parameters)*) -> $output $body

        $(#[$attribute])*
        pub(super) async fn future(before: Log, $($parameters)*) -> $output {
            pause().await;
            $body
        }

        impl Owner {
            $(#[$attribute])*
            pub(super) fn method(self, $($parameters)*) -> $output $body

            $(#[$attribute])*
            pub(super) async fn later(self, $($parameters)*) -> $output {
                pause().await;
                $body
            }
        }
    };
}

macro_rules! table {
    ($($name:ident($($value:expr),*) fn($($parameters:tt)*) -> $output:ty $body:block)*) => { $(
        mod $name {
            use super::*;

            mod plain {
                use super::*;

                pub(super) struct Owner(pub(super) Log, pub(super) Log);
                functions! { ($($parameters)*) -> $output $body }
            }

            mod measured {
                use super::*;

                pub(super) struct Owner(pub(super) Log, pub(super) Log);
                functions! { #[inference_stage("execute")] ($($parameters)*) -> $output $body }
            }

            #[test]
            fn drops_as_without_the_attribute() {
                let _test = start();
                macro_rules! both {
                    ($call:ident) => {
                        same(
                            concat!(stringify!($call), " of ", stringify!($name)),
                            || $call!(plain),
                            || $call!(measured),
                        )
                    };
                }
                macro_rules! first { ($of:ident) => { $of::first($($value),*) } }
                macro_rules! second { ($of:ident) => { $of::second(Log("before"), $($value),*) } }
                macro_rules! finished { ($of:ident) => { block($of::future(Log("before"), $($value),*)) } }
                macro_rules! unpolled { ($of:ident) => { drop($of::future(Log("before"), $($value),*)) } }
                macro_rules! cancelled { ($of:ident) => { halfway($of::future(Log("before"), $($value),*)) } }
                macro_rules! method { ($of:ident) => { $of::Owner(Log("0"), Log("self")).method($($value),*) } }
                macro_rules! later { ($of:ident) => { block($of::Owner(Log("0"), Log("self")).later($($value),*)) } }
                both!(first);
                both!(second);
                both!(finished);
                both!(unpolled);
                both!(cancelled);
                both!(method);
                both!(later);
            }
        }
    )* };
}

table! {
    names(Log("a"), Log("b"), Log("c")) fn(a: Log, b: Log, c: Log) -> u8 { let _local = Log("local"); let _used = (&c, &a); 1 }
    nothing_used(Log("a"), Log("b")) fn(a: Log, _b: Log) -> u8 { 1 }
    moved_away(Log("a"), Log("b"), Log("c")) fn(a: Log, b: Log, c: Log) -> u8 { drop(b); let _used = &a; 1 }
    replaced(Log("a"), Log("b")) fn(mut a: Log, b: Log) -> u8 { a = Log("new"); let _used = (&a, &b); 1 }
    given_back(Log("a"), Log("b")) fn(a: Log, b: Log) -> Log { let _local = Log("local"); a }
    wildcard(Log("a"), Log("b"), Log("c")) fn(a: Log, _: Log, c: Log) -> u8 { let _local = Log("local"); let _used = &a; 1 }
    wildcard_first(Log("b"), Log("c")) fn(_: Log, c: Log) -> u8 { let _used = &c; 1 }
    whole_tuple(tuple(), Log("q")) fn((a, b, mut c): (Log, Log, Log), q: Log) -> u8 { c.0 = "C"; let _used = (&c, &q); 1 }
    part_of_a_tuple(tuple(), Log("q")) fn((a, _, c): (Log, Log, Log), q: Log) -> u8 { let _used = (&c, &q); 1 }
    end_of_a_tuple(tuple(), Log("q")) fn((a, ..): (Log, Log, Log), q: Log) -> u8 { let _used = (&a, &q); 1 }
    underscored_part(tuple(), Log("q")) fn((a, _x, c): (Log, Log, Log), q: Log) -> u8 { let _used = (&c, &q); 1 }
    part_of_a_struct(Log("x"), three(), Log("y")) fn(x: Log, Three { b, .. }: Three, y: Log) -> u8 { let _used = (&x, &b, &y); 1 }
    fields_by_other_names(three(), Log("q")) fn(Three { a, b: _, c: _c }: Three, q: Log) -> u8 { let _used = (&a, &q); 1 }
    unused_fields(three(), Log("q")) fn(Three { a, b, .. }: Three, q: Log) -> u8 { 1 }
    ends_of_an_array([Log("1"), Log("2"), Log("3")], Log("q")) fn([a, .., c]: [Log; 3], q: Log) -> u8 { let _used = (&c, &q); 1 }
    alternatives(Either::Left(Log("1"), Log("2")), Log("q")) fn((Either::Left(a, b) | Either::Right(b, a)): Either, q: Log) -> u8 { let _used = (&b, &q); 1 }
    by_reference(three(), Log("q")) fn(ref a: Three, q: Log) -> u8 { let _used = (&a.b, &q); 1 }
    partly_by_reference(three(), Log("q")) fn(Three { ref a, b, .. }: Three, q: Log) -> u8 { let _used = (&a, &b, &q); 1 }
    whole_and_parts((1, Log("1")), Log("q")) fn(t @ (_, _): (u8, Log), q: Log) -> u8 { let _used = (&t, &q); 1 }
    constants(Unit, (), 7, Log("q")) fn(Unit: Unit, (): (), 0..=u8::MAX: u8, q: Log) -> u8 { let _used = &q; 1 }
    references(&Log("a"), &mut Log("b")) fn(a: &Log, b: &mut Log) -> u8 { let _local = Log("local"); b.one() }
    opaque(Log("a"), Log("b")) fn(a: impl Sized, _: impl Sized) -> u8 { let _local = Log("local"); 1 }
    temporary_at_the_end(Log("a")) fn(a: Log) -> u8 { let _local = Log("local"); Log("temporary").one() }
    temporary_of_a_match(Log("a")) fn(a: Log) -> u8 { let _local = Log("local"); match Log("temporary").one() { 1 => 2, _ => 3 } }
    temporary_of_an_if_let(Log("a")) fn(a: Log) -> u8 { let _local = Log("local"); if let 2 = Log("temporary").one() { 1 } else { Log("else").one() } }
    leaves_by_return(Log("a"), Log("b")) fn(a: Log, _: Log) -> u8 { let _local = Log("local"); if a.one() == 1 { return Log("temporary").one(); } 2 }
    leaves_by_question_mark(Log("a"), Log("b")) fn(a: Log, _: Log) -> Result<u8, ()> { let _local = Log("local"); let value = Log("temporary").fail()?; Ok(value) }
    leaves_by_question_mark_at_the_end(Log("a"), Log("b")) fn(a: Log, _: Log) -> Result<u8, ()> { let _local = Log("local"); Ok(Log("temporary").fail()?) }
    unwinds(Log("a"), Log("b")) fn(a: Log, _: Log) -> u8 { let _local = Log("local"); Log("temporary").one() + panics() }
}

mod others {
    use super::*;

    macro_rules! futures {
        ($(#[$attribute:meta])*) => {
            $(#[$attribute])*
            pub(super) fn returned(a: Log, _: Log, c: Log) -> impl Future<Output = u8> {
                let _local = Log("local");
                async move {
                    pause().await;
                    let _used = (&c, &a);
                    Log("temporary").one()
                }
            }

            $(#[$attribute])*
            pub(super) fn boxed(a: Log, _: Log, c: Log) -> Pin<Box<dyn Future<Output = u8>>> {
                let _local = Log("local");
                Box::pin(async move {
                    pause().await;
                    let _used = (&c, &a);
                    1
                })
            }

            $(#[$attribute])*
            pub(super) fn boxed_early(a: Log, _: Log, c: Log) -> Pin<Box<dyn Future<Output = u8>>> {
                let _local = Log("local");
                if a.0 == "c" {
                    return Box::pin(async { 1 });
                }
                Box::pin(async move {
                    pause().await;
                    let _used = (&c, &a);
                    1
                })
            }

            $(#[$attribute])*
            pub(super) async fn never(a: Log, _: Log, c: Log) -> ! {
                let _local = Log("local");
                pause().await;
                panics();
                loop {}
            }

            $(#[$attribute])*
            pub(super) fn never_at_once(a: Log, _: Log, c: Log) -> ! {
                let _local = Log("local");
                panics();
                loop {}
            }

            $(#[$attribute])*
            pub(super) fn hidden(a: Log, _: Log, c: Log) -> impl Sized {
                let _local = Log("local");
                Log("temporary").one()
            }

            $(#[$attribute])*
            #[track_caller]
            pub(super) fn tracked(a: Log, _: Log, c: Log) -> u8 {
                let _local = Log("local");
                Log("temporary").one()
            }
        };
    }
    mod plain {
        use super::*;
        futures! {}
    }
    mod measured {
        use super::*;
        futures! { #[inference_stage("execute")] }
    }

    #[inference_stage("execute", labels(known = flag.0 == "2"))]
    fn flagged(a: Log, flag: Log, c: Log) -> u8 {
        let _used = (&a, &c);
        1
    }

    #[inference_stage("execute", labels(known = flag.0 == "2"))]
    async fn flagged_later(a: Log, mut flag: Log, c: Log) -> String {
        flag.0 = "changed";
        format!("{}", flag.0)
    }

    fn call<R>(of: impl FnOnce(Log, Log, Log) -> R) -> R {
        let (a, b, c) = tuple();
        of(a, b, c)
    }

    #[test]
    fn futures_drop_as_without_the_attribute() {
        let _test = start();
        macro_rules! each {
            ($($name:ident)*) => { $(
                let name = stringify!($name);
                same(name, || block(call(plain::$name)), || block(call(measured::$name)));
                same(name, || halfway(call(plain::$name)), || halfway(call(measured::$name)));
                same(name, || call(plain::$name), || call(measured::$name));
            )* };
        }
        each!(returned boxed boxed_early);
        same(
            "never",
            || block(call(plain::never)),
            || block(call(measured::never)),
        );
    }

    #[test]
    fn other_functions_drop_as_without_the_attribute() {
        let _test = start();
        same("hidden", || call(plain::hidden), || call(measured::hidden));
        same(
            "tracked",
            || call(plain::tracked),
            || call(measured::tracked),
        );
        same(
            "never",
            || call(|a, b, c| plain::never_at_once(a, b, c)),
            || call(|a, b, c| measured::never_at_once(a, b, c)),
        );
    }

    #[test]
    fn what_only_the_attribute_uses_is_dropped_in_its_turn() {
        fn plain(a: Log, flag: Log, c: Log) -> u8 {
            let _used = (&a, &c);
            1
        }
        async fn plain_later(a: Log, mut flag: Log, c: Log) -> String {
            flag.0 = "changed";
            format!("{}", flag.0)
        }
        let _test = start();
        same("flagged", || call(plain), || call(flagged));
        same(
            "flagged later",
            || block(call(plain_later)),
            || block(call(flagged_later)),
        );
    }
}
