//! Receivers, traits and generics.

use crate::probe::{block, counts, pause, start};
use instrument_inference::inference_stage;
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

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
