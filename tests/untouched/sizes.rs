//! What an attribute adds to a future: 64 bytes at most, and room for the arguments that the body takes.

use instrument_inference::{inference_request, inference_stage};

async fn tick() {
    std::future::ready(()).await;
}

macro_rules! functions {
    ($(#[$attribute:meta])*) => {
        $(#[$attribute])*
        async fn nothing() {
            tick().await;
        }

        $(#[$attribute])*
        async fn fails() -> Result<u8, String> {
            tick().await;
            Err(String::new())
        }

        $(#[$attribute])*
        async fn borrows(x: &[u8], y: &mut str) -> usize {
            tick().await;
            x.len() + y.len()
        }

        $(#[$attribute])*
        async fn takes(x: [u64; 32], y: String) -> usize {
            tick().await;
            x.len() + y.len()
        }

        $(#[$attribute])*
        async fn holds() -> usize {
            let x = [1_u64; 128];
            tick().await;
            x.len()
        }

        $(#[$attribute])*
        fn hidden(x: [u64; 32]) -> impl Future<Output = usize> {
            async move {
                tick().await;
                x.len()
            }
        }

        $(#[$attribute])*
        async fn nested() {
            nothing().await;
        }

        /// Bytes of the future, and of its arguments.
        pub(super) fn found() -> Vec<(&'static str, usize, usize)> {
            let (list, words) = ([1], &mut String::new());
            vec![
                ("nothing", size_of_val(&nothing()), 0),
                ("fails", size_of_val(&fails()), 0),
                ("borrows", size_of_val(&borrows(&list, words)), 24),
                ("takes", size_of_val(&takes([0; 32], String::new())), 280),
                ("holds", size_of_val(&holds()), 0),
                ("hidden", size_of_val(&hidden([0; 32])), 0),
                ("nested", size_of_val(&nested()), 0),
            ]
        }
    };
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
    functions!(#[inference_stage("execute", labels(on = true), device)]);
}

mod request {
    use super::*;
    functions!(#[inference_request]);
}

mod routed {
    use super::*;
    functions!(#[inference_request(route = "/predict", tier = true)]);
}

/// `nested` is wrapped twice.
fn assert_small(what: &str, measured: &[(&str, usize, usize)]) {
    for ((name, plain, arguments), (_, measured, _)) in untouched::found().iter().zip(measured) {
        let layers = if *name == "nested" { 2 } else { 1 };
        let added = measured.saturating_sub(*plain);
        eprintln!("{what} {name}: {plain} and {added}, arguments {arguments}");
        assert!(
            added <= layers * 64 + arguments,
            "{what} {name}: {plain} bytes and {added}, with {arguments} bytes of arguments"
        );
    }
}

#[test]
fn a_stage_adds_at_most_64_bytes_and_its_arguments() {
    assert_small("stage", &stage::found());
    assert_small("labelled", &labelled::found());
}

#[test]
fn a_request_adds_at_most_64_bytes_and_its_arguments() {
    assert_small("request", &request::found());
    assert_small("routed", &routed::found());
}
