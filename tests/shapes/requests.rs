//! The same for requests.

use crate::probe::{block, counts, pause, send, start};
use instrument_inference::{inference_request, inference_stage};
use std::fmt::Debug;
use std::future::Future;
use std::panic::catch_unwind;

#[inference_stage("preprocess")]
async fn prepare(x: u8) -> u8 {
    x
}

#[inference_request(ingress = "http")]
async fn handler(x: u8) -> Result<u8, String> {
    pause().await;
    let x = prepare(x).await;
    if x > 1 { Err("x".into()) } else { Ok(x) }
}

#[inference_request(root)]
fn sync_handler(text: &str) -> Result<u8, std::num::ParseIntError> {
    text.parse()
}

#[inference_request]
fn hidden_type() -> impl Debug {}

#[inference_request]
fn future() -> impl Future<Output = ()> {
    pause()
}

#[inference_request]
async fn never() -> ! {
    panic!("x")
}

#[inference_request]
fn sync_never() -> ! {
    panic!("x")
}

#[inference_request]
#[track_caller]
fn tracked() -> u32 {
    std::panic::Location::caller().line()
}

#[test]
fn every_shape_of_request() {
    let _test = start();
    assert!(block(send(handler(1))).is_ok());
    assert!(block(handler(2)).is_err());
    assert!(sync_handler("1").is_ok());
    assert_eq!(counts(), "preprocess:ok=2 request:error=1 request:ok=2");
    let _ = hidden_type();
    block(future());
    assert!(catch_unwind(|| block(never())).is_err());
    assert!(catch_unwind(|| sync_never()).is_err());
    assert_eq!(tracked(), line!());
    assert_eq!(counts(), "request:ok=3 request:panicked=2");
}
