//! Two attributes on one function.

use crate::probe::{block, counts, send, start};
use instrument_inference::{inference_request, inference_stage};

#[inference_request]
#[inference_stage("execute")]
async fn request_above(x: u8) -> u8 {
    x
}

#[inference_stage("execute")]
#[inference_request]
fn stage_above(mut x: Vec<u8>) -> Vec<u8> {
    x.push(1);
    x
}

#[test]
fn each_counts() {
    let _test = start();
    assert_eq!(block(send(request_above(1))), 1);
    assert_eq!(stage_above(vec![]), [1]);
    assert_eq!(counts(), "execute:ok=2 request:ok=2");
}
