//! The control plane of an installed telemetry, asked by real clients: on its own address, and mounted in the service's
//! own server. One installation, from its start to its end.
#![cfg(all(feature = "grpc", feature = "health"))]
#![allow(missing_docs, reason = "nobody uses a test from outside")]

#[path = "peers/control.rs"]
mod control;

use control::Watcher;
use instrument_inference::Telemetry;
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

/// Ten times what anything here needs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The service's own server, which ends as the documentation says.
fn own_server(telemetry: &Telemetry) -> (SocketAddr, JoinHandle<()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .unwrap();
    let address = listener.local_addr().unwrap();
    let routes = telemetry.control_routes();
    let draining = telemetry.draining();
    let serving = std::thread::spawn(move || {
        let incoming = TcpIncoming::from(listener);
        let server = Server::builder().add_routes(routes);
        runtime
            .block_on(server.serve_with_incoming_shutdown(incoming, draining))
            .unwrap();
    });
    (address, serving)
}

#[test]
fn clients_are_served_from_the_start_to_the_end() {
    let telemetry = Telemetry::builder("control-story")
        .service_version("1.2.3")
        .control_addr("127.0.0.1:0")
        .reflection(true)
        .drain_delay(PATIENCE)
        .install()
        .unwrap();
    let address = telemetry.control_addr().unwrap();
    let (own, serving) = own_server(&telemetry);
    // asked before there is a model, and told when there is one
    let early = Watcher::start(address, "models/digits");
    let expect = |lines: &[&str]| early.iter().for_each(|early| early.expect(lines));
    expect(&["models/digits: SERVICE_UNKNOWN"]);
    let slot = telemetry.model("digits", "1").platform("onnx");
    expect(&[
        "models/digits: SERVICE_UNKNOWN",
        "models/digits: NOT_SERVING",
    ]);
    slot.ready();
    expect(&[
        "models/digits: SERVICE_UNKNOWN",
        "models/digits: NOT_SERVING",
        "models/digits: SERVING",
    ]);
    drop(early);

    for address in [address, own] {
        control::a_health_client_knows_every_name(address);
        control::a_triton_client_understands_all_it_asks(address, "control-story", "1.2.3");
        control::grpcurl_finds_its_way(address);
    }
    let mounted = Watcher::start(own, "readiness");
    if let Some(mounted) = &mounted {
        mounted.expect(&["readiness: SERVING"]);
    }
    let close = || {
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    };
    control::a_watching_client_is_told_of_the_end(address, || telemetry.drain(), close);
    // its own server has waited for no stream
    serving.join().unwrap();
    if let Some(mounted) = &mounted {
        mounted.expect(&[
            "readiness: SERVING",
            "readiness: NOT_SERVING",
            "readiness: UNAVAILABLE",
        ]);
    }
    telemetry.shutdown_blocking(PATIENCE).unwrap();
    assert!(TcpStream::connect(address).is_err());
}
