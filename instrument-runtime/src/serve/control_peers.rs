//! For tests: real clients of the control plane, over a board that is written by hand.

#[path = "../../../tests/peers/control.rs"]
mod stories;

use crate::serve::control::ControlOptions;
use crate::serve::control_rig::{Rig, Served};
use std::path::Path;

/// Ready, with a model.
fn served(reflection: bool) -> (Rig, Served) {
    let rig = Rig::ready();
    rig.loaded("digits", "1").set_platform("onnx");
    let options = ControlOptions {
        reflection,
        ..ControlOptions::default()
    };
    let served = rig.serve(options);
    (rig, served)
}

#[test]
fn a_health_client_knows_every_name() {
    let (_rig, served) = served(false);
    stories::a_health_client_knows_every_name(served.address);
}

#[test]
fn a_watching_client_is_told_of_the_end() {
    let (rig, served) = served(false);
    stories::a_watching_client_is_told_of_the_end(served.address, || rig.drain(), || rig.close());
}

#[test]
fn a_triton_client_understands_all_it_asks() {
    let (_rig, served) = served(false);
    stories::a_triton_client_understands_all_it_asks(served.address, "rig", "1.2.3");
}

#[test]
fn grpcurl_finds_its_way_where_it_may() {
    let (_rig, with) = served(true);
    stories::grpcurl_finds_its_way(with.address);
    let (_rig, without) = served(false);
    stories::grpcurl_is_told_nothing(without.address);
}

#[test]
fn our_protocols_have_the_names_and_numbers_of_their_clients() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let descriptors = package.join("proto/generated/descriptors.bin");
    stories::our_protocols_have_their_names_and_numbers(&descriptors);
}
