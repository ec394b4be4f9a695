//! The attribute's own expressions.

use crate::probe::{block, counts, pause, send, start};
use instrument_inference::{inference_request, inference_stage};
use std::sync::Mutex;

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
