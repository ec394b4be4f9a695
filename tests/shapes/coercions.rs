//! What becomes another type where a function ends, and what is taken apart where it begins.

use crate::probe::{block, counts, pause, start};
use instrument_inference::inference_stage;
use std::fmt::{Debug, Display};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

trait Step {
    fn weight(&self) -> u8;

    #[inference_stage("execute")]
    fn later<'a>(&'a self) -> Pin<Box<dyn Future<Output = u8> + 'a>> {
        Box::pin(async move { self.weight() })
    }
}

trait Known: Step + Debug + Send + Sync {}

#[derive(Debug)]
struct Model(u8);

impl Step for Model {
    #[inference_stage("execute")]
    fn weight(&self) -> u8 {
        self.0
    }
}

impl Known for Model {}

impl dyn Step {
    #[inference_stage("execute")]
    async fn of_the_object(&self) -> u8 {
        self.weight()
    }
}

#[inference_stage("execute")]
fn upcast(x: Box<dyn Known>) -> Box<dyn Step> {
    x
}

#[inference_stage("execute")]
fn upcast_by_reference(x: &dyn Known) -> &dyn Debug {
    x
}

#[inference_stage("execute")]
async fn upcast_later(x: Arc<dyn Known>) -> Arc<dyn Step> {
    pause().await;
    x
}

#[inference_stage("execute")]
fn upcast_in_an_error(x: Box<dyn Known>) -> Result<u8, Box<dyn Step>> {
    if x.weight() > 1 {
        return Ok(1);
    }
    Err(x)
}

#[inference_stage("execute")]
fn one_of_two(x: bool) -> Box<dyn Display> {
    match x {
        true => Box::new(1),
        false => Box::new("x"),
    }
}

#[inference_stage("execute")]
async fn one_of_two_later(x: bool) -> Result<Box<dyn Display>, Box<dyn std::error::Error>> {
    if x {
        Err("x")?
    }
    Ok(Box::new(1))
}

#[inference_stage("execute")]
fn promoted<'a>(_: &'a u8) -> &'a [&'a str] {
    &["x", "y"]
}

#[inference_stage("execute")]
fn promoted_closure() -> &'static (dyn Fn(u8) -> u8 + Sync) {
    &|x| x
}

#[inference_stage("execute")]
async fn pointer_to_a_function() -> fn(&u8) -> &u8 {
    |x| x
}

#[inference_stage("execute")]
fn unsized_in_place<'a>(x: &'a mut [u8; 3]) -> &'a mut [u8] {
    x
}

#[inference_stage("execute")]
async fn outlives<'a, 'b: 'a>(x: &'a u8, y: &'b u8) -> &'a u8 {
    if *x > 0 {
        return y;
    }
    x
}

struct Parts {
    a: u8,
    b: String,
    c: (u8, Box<u8>),
}

#[inference_stage("execute")]
fn behind_a_reference(
    &Parts {
        a,
        ref b,
        c: (c, ref d),
    }: &Parts,
) -> u8 {
    a + b.len() as u8 + c + **d
}

#[inference_stage("execute")]
async fn either((Ok(mut x) | Err(mut x)): Result<Vec<u8>, Vec<u8>>) -> Vec<u8> {
    x.push(1);
    x
}

#[inference_stage("execute")]
fn middle([first, middle @ .., last]: [u8; 5], whole @ [one, ..]: [u8; 2]) -> u8 {
    first + middle.len() as u8 + last + whole[1] + one
}

#[inference_stage("execute")]
async fn by_mutable_reference((ref mut a, _): (String, u8), [.., ref last]: [String; 2]) -> usize {
    a.push('x');
    pause().await;
    a.len() + last.len()
}

#[inference_stage(
    "execute",
    labels(
        block = 'a: {
            if x.is_empty() {
                break 'a true;
            }
            false
        },
        looped = loop {
            break x.len() > 1;
        },
        closure = x.iter().any(|x| {
            let x = match x {
                Some(x) => x,
                None => return true,
            };
            *x == 1
        }),
        constant = const { 1 > 0 },
        made = matches!(x.first(), Some(None)),
        pointed = unsafe { *(&true as *const bool) }
    )
)]
fn labels_of_every_kind(x: Vec<Option<u8>>) -> usize {
    x.len()
}

#[test]
fn they_become_what_is_promised() {
    let _test = start();
    assert_eq!(upcast(Box::new(Model(1))).weight(), 1);
    assert_eq!(format!("{:?}", upcast_by_reference(&Model(1))), "Model(1)");
    assert_eq!(block(block(upcast_later(Arc::new(Model(1)))).later()), 1);
    assert!(upcast_in_an_error(Box::new(Model(1))).is_err());
    let step: &dyn Step = &Model(1);
    assert_eq!(block(step.of_the_object()), 1);
    assert_eq!(counts(), "execute:error=1 execute:ok=9");
    assert_eq!(one_of_two(true).to_string(), "1");
    assert!(block(one_of_two_later(true)).is_err());
    assert_eq!(promoted(&1).len(), 2);
    assert_eq!(promoted_closure()(1), 1);
    assert_eq!(block(pointer_to_a_function())(&1), &1);
    assert_eq!(unsized_in_place(&mut [1, 2, 3]).len(), 3);
    assert_eq!(block(outlives(&1, &2)), &2);
    assert_eq!(counts(), "execute:error=1 execute:ok=6");
}

#[test]
fn parts_are_what_is_matched() {
    let _test = start();
    let parts = Parts {
        a: 1,
        b: "b".into(),
        c: (2, Box::new(3)),
    };
    assert_eq!(behind_a_reference(&parts), 7);
    assert_eq!(block(either(Err(vec![]))), [1]);
    assert_eq!(middle([1, 2, 3, 4, 5], [6, 7]), 22);
    let strings = [String::new(), "last".into()];
    assert_eq!(block(by_mutable_reference((String::new(), 1), strings)), 5);
    assert_eq!(labels_of_every_kind(vec![None]), 1);
    assert_eq!(counts(), "execute:ok=5");
}
