//! What real clients see of a control plane: stories about a server at an address, whoever serves it.
//!
//! Included by the tests that serve one: `#[path = "peers/control.rs"] mod control;`.

#![allow(dead_code, missing_docs, unreachable_pub)]

#[path = "peer.rs"]
#[allow(
    clippy::duplicate_mod,
    reason = "other tests of a crate include it too"
)]
pub mod peer;

use peer::{Process, Scratch};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Ten times what any of the clients needs, and they give up before.
const PATIENCE: Duration = Duration::from_secs(90);

fn script(name: &str) -> String {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = package
        .ancestors()
        .map(|folder| folder.join("tests/peers").join(name))
        .find(|file| file.is_file());
    found.expect("a script of ours").display().to_string()
}

/// What it prints, on either side, and whether it ended well.
fn run(program: &Path, arguments: &[&str]) -> (String, bool) {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .expect("it starts");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    (text, output.status.success())
}

fn python(arguments: &[&str]) -> Option<String> {
    let python = peer::require("peers-python")?;
    let (text, well) = run(&python, arguments);
    assert!(well, "{text}");
    Some(text)
}

/// A health client that waits for changes.
#[derive(Debug)]
pub struct Watcher(Process);

impl Watcher {
    /// `None` where there is no such client.
    pub fn start(address: SocketAddr, name: &str) -> Option<Watcher> {
        let python: PathBuf = peer::require("peers-python")?;
        let script = script("health_client.py");
        let address = address.to_string();
        let arguments = [&script, &address, "watch", name];
        let scratch = Scratch::new("watch");
        Some(Watcher(Process::start(&python, arguments, scratch)))
    }

    /// Waits until it has printed exactly these lines.
    pub fn expect(&self, lines: &[&str]) {
        let wanted = lines.join("\n") + "\n";
        let deadline = Instant::now() + PATIENCE;
        while self.0.output() != wanted {
            let text = self.0.output();
            assert!(Instant::now() < deadline, "not {wanted:?} but {text:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A service that is ready, with `digits` loaded.
pub fn a_health_client_knows_every_name(address: SocketAddr) {
    let script = script("health_client.py");
    let address = address.to_string();
    let names = ["", "readiness", "liveness", "startup", "models/digits"];
    let arguments = [&[&*script, &*address, "check"], &names[..], &["nobody"]].concat();
    let Some(text) = python(&arguments) else {
        return;
    };
    let expected = "the whole: SERVING\nreadiness: SERVING\nliveness: SERVING\nstartup: SERVING\n\
        models/digits: SERVING\nnobody: NOT_FOUND\n";
    assert_eq!(text, expected);
}

/// The same service to its end: `drain` takes it out of rotation, `close` closes its streams.
pub fn a_watching_client_is_told_of_the_end(
    address: SocketAddr,
    drain: impl FnOnce(),
    close: impl FnOnce(),
) {
    let names = ["", "liveness", "nobody"];
    let Some(watchers) = names
        .into_iter()
        .map(|name| Watcher::start(address, name))
        .collect::<Option<Vec<_>>>()
    else {
        drain();
        return close();
    };
    let [whole, live, nobody] = &watchers[..] else {
        unreachable!("one for each name");
    };
    whole.expect(&["the whole: SERVING"]);
    live.expect(&["liveness: SERVING"]);
    nobody.expect(&["nobody: SERVICE_UNKNOWN"]);
    drain();
    whole.expect(&["the whole: SERVING", "the whole: NOT_SERVING"]);
    close();
    whole.expect(&[
        "the whole: SERVING",
        "the whole: NOT_SERVING",
        "the whole: UNAVAILABLE",
    ]);
    live.expect(&["liveness: SERVING", "liveness: UNAVAILABLE"]);
    nobody.expect(&["nobody: SERVICE_UNKNOWN", "nobody: UNAVAILABLE"]);
}

/// A service `service` of version `version` that is ready, with version 1 of `digits` loaded, on `onnx`.
pub fn a_triton_client_understands_all_it_asks(address: SocketAddr, service: &str, version: &str) {
    let address = address.to_string();
    let script = script("triton_client.py");
    let Some(text) = python(&[&script, &address, "digits", "1"]) else {
        return;
    };
    let expected = [
        "live: true",
        "ready: true",
        "model ready: true",
        "version ready: true",
        &format!(r#"server: {{"name": "{service}", "version": "{version}"}}"#),
        r#"model: {"name": "digits", "platform": "onnx", "versions": ["1"]}"#,
        r#"unknown model: "StatusCode.NOT_FOUND""#,
        r#"unknown version: "StatusCode.NOT_FOUND""#,
        r#"statistics: "StatusCode.UNIMPLEMENTED""#,
        r#"index: "StatusCode.UNIMPLEMENTED""#,
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

/// `health` is the health address of the same service: what is asked over HTTP is answered there.
pub fn a_triton_http_client_understands_all_it_asks(health: SocketAddr) {
    let script = script("triton_http_client.py");
    let Some(text) = python(&[&script, &health.to_string(), "digits", "1"]) else {
        return;
    };
    let expected = "live: true\nready: true\nmodel ready: true\nversion ready: true\n\
        unknown model: false\n";
    assert_eq!(text, expected);
}

/// The same service, with reflection.
pub fn grpcurl_finds_its_way(address: SocketAddr) {
    let Some(grpcurl) = peer::require("grpcurl") else {
        return;
    };
    let address = address.to_string();
    let ask = |rest: &[&str]| {
        let (text, well) = run(
            &grpcurl,
            &[&["-plaintext", "-max-time", "60"], rest].concat(),
        );
        assert!(well, "{text}");
        text
    };
    let services = ask(&[&address, "list"]);
    for service in ["grpc.health.v1.Health", "inference.GRPCInferenceService"] {
        assert!(services.lines().any(|line| line == service), "{services}");
    }
    let methods = ask(&[&address, "list", "grpc.health.v1.Health"]);
    assert_eq!(methods.lines().count(), 3, "{methods}");
    let checked = ask(&[&address, "grpc.health.v1.Health/Check"]);
    assert!(checked.contains(r#""status": "SERVING""#), "{checked}");
    let listed = ask(&[&address, "grpc.health.v1.Health/List"]);
    for name in [
        r#""""#,
        r#""liveness""#,
        r#""models/digits""#,
        r#""startup""#,
    ] {
        assert!(listed.contains(&format!("{name}: {{")), "{listed}");
    }
    let described = ask(&[&address, "describe", "inference.ModelInferRequest"]);
    assert!(described.contains("raw_input_contents = 7"), "{described}");
}

/// The same service, with reflection: what the health protocol says of a name.
pub fn grpcurl_is_told(address: SocketAddr, name: &str, status: &str) {
    let Some(grpcurl) = peer::require("grpcurl") else {
        return;
    };
    let request = format!(r#"{{"service": "{name}"}}"#);
    let options = ["-plaintext", "-max-time", "60", "-d", &request];
    let method = [&*address.to_string(), "grpc.health.v1.Health/Check"].map(str::to_owned);
    let arguments = [&options[..], &[&method[0], &method[1]]].concat();
    let (text, well) = run(&grpcurl, &arguments);
    let said = format!(r#""status": "{status}""#);
    assert!(well && text.contains(&said), "{name}: {text}");
}

/// The same service, without reflection.
pub fn grpcurl_is_told_nothing(address: SocketAddr) {
    let Some(grpcurl) = peer::require("grpcurl") else {
        return;
    };
    let (text, well) = run(&grpcurl, &["-plaintext", &address.to_string(), "list"]);
    assert!(!well && text.contains("reflection"), "{text}");
}

/// `descriptors` is the file of them.
pub fn our_protocols_have_their_names_and_numbers(descriptors: &Path) {
    let descriptors = descriptors.display().to_string();
    python(&[&script("protocol_names.py"), &descriptors]);
}
