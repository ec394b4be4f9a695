//! A future under an attribute has the auto traits that it had: `Send` where it was, and only there.

use instrument_inference::{inference_request, inference_stage};
use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;

/// Whether the type of a value implements a trait. A method of the type is found first, if its bound holds.
macro_rules! is {
    ($value:expr, $bound:path) => {{
        struct Of<T>(PhantomData<T>);
        fn of<T>(_: &T) -> Of<T> {
            Of(PhantomData)
        }
        #[allow(dead_code, reason = "which of them is used is the answer")]
        trait Otherwise {
            fn holds(&self) -> bool {
                false
            }
        }
        impl<T> Otherwise for Of<T> {}
        #[allow(dead_code, reason = "which of them is used is the answer")]
        impl<T: $bound> Of<T> {
            fn holds(&self) -> bool {
                true
            }
        }
        of(&$value).holds()
    }};
}

macro_rules! traits {
    ($($future:expr),* $(,)?) => {
        vec![$((
            stringify!($future),
            [
                is!($future, Send),
                is!($future, Sync),
                is!($future, Unpin),
                is!($future, UnwindSafe),
                is!($future, RefUnwindSafe),
            ],
        )),*]
    };
}

/// A future that may not move, may not be sent, or may do all.
macro_rules! functions {
    ($(#[$attribute:meta])*) => {
        $(#[$attribute])*
        async fn plain(x: u8) -> u8 {
            tick().await;
            x
        }

        $(#[$attribute])*
        async fn borrows(x: &[u8]) -> Option<&u8> {
            tick().await;
            x.first()
        }

        $(#[$attribute])*
        async fn borrows_mutably(x: &mut [u8]) -> &mut u8 {
            tick().await;
            &mut x[0]
        }

        $(#[$attribute])*
        async fn takes_shared(x: Rc<u8>) -> u8 {
            *x
        }

        $(#[$attribute])*
        async fn holds_shared() -> Rc<u8> {
            let x = Rc::new(1);
            tick().await;
            x
        }

        $(#[$attribute])*
        async fn returns_shared() -> Rc<u8> {
            tick().await;
            Rc::new(1)
        }

        $(#[$attribute])*
        async fn borrows_a_cell(x: &Cell<u8>) -> u8 {
            tick().await;
            x.get()
        }

        $(#[$attribute])*
        async fn holds_a_cell() -> u8 {
            let x = Cell::new(1);
            tick().await;
            x.get()
        }

        $(#[$attribute])*
        async fn generic<T: Clone>(x: T) -> Result<T, String> {
            tick().await;
            Ok(x.clone())
        }

        $(#[$attribute])*
        async fn never() -> ! {
            loop {
                tick().await;
            }
        }

        $(#[$attribute])*
        fn hidden(x: u8) -> impl Future<Output = u8> {
            async move {
                tick().await;
                x
            }
        }

        $(#[$attribute])*
        fn hidden_and_shared() -> impl Future<Output = u8> {
            async move {
                let x = Rc::new(1);
                tick().await;
                *x
            }
        }

        $(#[$attribute])*
        fn hidden_and_ready() -> impl Future<Output = u8> {
            std::future::ready(1)
        }

        fn all() -> Vec<(&'static str, [bool; 5])> {
            traits![
                plain(1),
                borrows(&[]),
                borrows_mutably(&mut [1]),
                takes_shared(Rc::new(1)),
                holds_shared(),
                returns_shared(),
                borrows_a_cell(&Cell::new(1)),
                holds_a_cell(),
                generic(1),
                generic(Rc::new(1)),
                never(),
                hidden(1),
                hidden_and_shared(),
                hidden_and_ready(),
            ]
        }

        fn stays<T: 'static>(_: T) {}

        pub(super) fn found() -> Vec<(&'static str, [bool; 5])> {
            stays((plain(1), generic(1), hidden(1), hidden_and_ready()));
            all()
        }
    };
}

async fn tick() {
    std::future::ready(()).await;
}

mod untouched {
    use super::*;
    functions!();
}

mod stage {
    use super::*;
    functions!(#[inference_stage("execute")]);
}

mod labelled {
    use super::*;
    functions!(#[inference_stage("execute", labels(on = true))]);
}

mod request {
    use super::*;
    functions!(#[inference_request]);
}

mod labelled_request {
    use super::*;
    functions!(#[inference_request(ingress = "http", labels(on = true))]);
}

#[test]
fn a_future_keeps_its_auto_traits() {
    let plain = untouched::found();
    let differ = |at: usize| plain.iter().any(|(_, traits)| traits[at] != plain[0].1[at]);
    assert!(
        differ(0) && differ(1) && differ(2),
        "the functions differ: {plain:?}"
    );
    for measured in [
        stage::found(),
        labelled::found(),
        request::found(),
        labelled_request::found(),
    ] {
        assert_eq!(
            plain, measured,
            "Send, Sync, Unpin, UnwindSafe, RefUnwindSafe"
        );
    }
}
