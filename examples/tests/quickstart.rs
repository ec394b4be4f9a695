//! The quickstart, as somebody who starts it sees it.
#![cfg(unix)]

#[path = "../../tests/peers/peer.rs"]
mod peer;
mod service;

use axum::http::StatusCode;
use instrument_examples::client::{Client, Sent};
use instrument_examples::digits::heldout;
use peer::Scratch;
use serde_json::Value;
use service::{FREE, Ready, Service, scraped, wait_until};
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// A stop without anything to wait for. It takes milliseconds; a process that waits for a time-out exceeds this.
const STOP: Duration = Duration::from_secs(4);

fn start() -> (Service, SocketAddr, SocketAddr) {
    let mut service = Service::start(&FREE, &[]);
    let Ready { http, metrics, .. } = service.ready();
    (service, http, metrics.expect("metrics are on"))
}

/// The answer to an upload, which always is JSON.
fn post(runtime: &Runtime, client: &mut Client, upload: Vec<u8>) -> (StatusCode, Value) {
    let reply = runtime.block_on(client.post("/predict", upload));
    let reply = reply.expect("every upload is answered");
    let answer = serde_json::from_slice(&reply.body);
    let answer = answer.unwrap_or_else(|error| panic!("{error}: {:?}", reply.body));
    (reply.status, answer)
}

fn counted(metrics: SocketAddr, outcome: &str) -> f64 {
    let outcome = format!("outcome=\"{outcome}\"");
    let labels = [
        "ingress=\"http\"",
        "model=\"digits\"",
        "version=\"1\"",
        &outcome,
    ];
    scraped(metrics, "inference_requests_total", &labels)
}

fn is(count: f64, expected: u32) -> bool {
    (count - f64::from(expected)).abs() < 0.5
}

#[test]
fn digits_are_read_and_counted() {
    let (service, http, metrics) = start();
    let runtime = Runtime::new().expect("a runtime");
    let mut client = Client::new(http);
    for name in ["seven.png", "four-on-paper.png"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("models")
            .join(name);
        let (status, answer) = post(&runtime, &mut client, fs::read(path).expect("a picture"));
        let digit = if name == "seven.png" { 7 } else { 4 };
        assert_eq!(
            (status.as_u16(), &answer["digit"]),
            (200, &Value::from(digit)),
            "{name}"
        );
        assert!(
            answer["confidence"]
                .as_f64()
                .is_some_and(|share| share > 0.5 && share <= 1.0)
        );
    }
    let heldout = heldout();
    let right = heldout[..48].iter().filter(|(image, digit)| {
        let (status, answer) = post(&runtime, &mut client, image.to_png());
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer["digit"] == *digit
    });
    assert!(right.count() >= 46);
    assert!(is(counted(metrics, "ok"), 50));
    let ready = ["model=\"digits\"", "version=\"1\""];
    assert!(is(scraped(metrics, "inference_model_ready", &ready), 1));
    let info = scraped(metrics, "inference_model_info", &["platform=\"onnx\""]);
    assert!(is(info, 1));
    for stage in [
        "ingress",
        "turn",
        "preprocess",
        "queue",
        "execute",
        "postprocess",
    ] {
        let labels = [
            &*format!("stage=\"{stage}\""),
            "outcome=\"ok\"",
            "model=\"digits\"",
        ];
        let count = scraped(metrics, "inference_stage_duration_seconds_count", &labels);
        assert!(is(count, 50), "{stage}: {count}");
    }

    service.signal("TERM");
    let asked = Instant::now();
    let ended = service.ended();
    assert!(asked.elapsed() < STOP, "{:?}", asked.elapsed());
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(ended.complaints(), [""; 0]);
    assert_eq!(
        ended.stdout.matches("ready ").count(),
        1,
        "{}",
        ended.stdout
    );
    let hint = format!("curl --data-binary @examples/models/seven.png http://{http}/predict");
    assert!(ended.stdout.contains(&hint), "{}", ended.stdout);
}

#[test]
fn bad_input_is_answered_with_a_sentence_and_counted_as_rejected() {
    let (service, http, metrics) = start();
    let runtime = Runtime::new().expect("a runtime");
    let mut client = Client::new(http);
    let digit = heldout()[0].0.clone();
    let whole = digit.to_png();
    let mut damaged = whole.clone();
    damaged[50] ^= 0xff;
    let mut huge = whole.clone();
    // The sides of the header: more pixels than are decoded, so its checksum does not matter.
    huge[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
    let cases = [
        (b"".to_vec(), 400, "the upload is empty"),
        (b"digit=7".to_vec(), 400, "the upload is not a PNG file"),
        (
            b"\xff\xd8\xff\xe0".to_vec(),
            400,
            "the upload is not a PNG file",
        ),
        (
            whole[..whole.len() / 2].to_vec(),
            400,
            "the PNG file is damaged",
        ),
        (damaged, 400, "the PNG file is damaged"),
        (huge, 400, ""),
        (
            vec![0; (16 << 20) + 1],
            413,
            "the upload is larger than the 16 MiB that are accepted",
        ),
    ];
    let sent = u32::try_from(cases.len()).expect("a few");
    for (upload, expected, text) in cases {
        let (status, answer) = post(&runtime, &mut client, upload);
        let error = answer["error"].as_str().unwrap_or_default();
        assert_eq!(status.as_u16(), expected, "{answer}");
        assert!(error.starts_with(text) && error.len() > 10, "{answer}");
    }
    assert!(is(counted(metrics, "rejected"), sent));
    let reason = ["reason=\"invalid_input\"", "model=\"digits\""];
    assert!(is(
        scraped(metrics, "inference_rejections_total", &reason),
        sent
    ));
    assert!(is(scraped(metrics, "inference_errors_total", &[]), 0));
    let (status, _) = post(&runtime, &mut client, whole);
    assert_eq!(status, StatusCode::OK, "it goes on");
    service.signal("INT");
    assert!(service.ended().status.success());
}

#[test]
fn a_stop_lets_an_open_request_finish() {
    let (service, http, metrics) = start();
    let runtime = Runtime::new().expect("a runtime");
    let (image, digit) = heldout()[0].clone();
    let large = image.to_png_scaled(4000);
    let open = runtime.spawn(async move { Client::new(http).post("/predict", large).await });
    // Where it was quicker than the scrape there is nothing left to finish, which is fine too.
    wait_until("the request begins", || {
        open.is_finished() || scraped(metrics, "inference_requests_in_flight", &[]) > 0.5
    });
    service.signal("TERM");
    let reply = runtime
        .block_on(open)
        .expect("no panic")
        .expect("an answer");
    let answer: Value = serde_json::from_slice(&reply.body).expect("JSON");
    assert_eq!(
        (reply.status.as_u16(), &answer["digit"]),
        (200, &Value::from(digit))
    );
    assert!(service.ended().status.success());
}

#[test]
fn the_demo_shows_where_the_time_went_and_agrees_with_its_clients() {
    let ended = Service::start(&["--demo"], &[]).ended();
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(ended.complaints(), [""; 0]);
    for text in [
        "answers right: ",
        "where the time of the requests went",
        "each image alone and in batches",
        "images per execution",
        "requests per second",
        "clients and metrics agree: ",
        "/health?verbose\n{\"status\":\"",
        "{\"name\":\"reads_seven\",\"state\":\"",
        "{\"name\":\"workers_free\",\"state\":\"",
        " 20 rejected, 15 cancelled (by tenant: ",
        " acme",
        " globex",
        " anonymous",
    ] {
        assert!(
            ended.stdout.contains(text),
            "no `{text}` in\n{}",
            ended.stdout
        );
    }
    let row = |stage: &str, outcome: &str| {
        let words = |line: &str| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let mut rows = ended.stdout.lines().map(words);
        rows.any(|words| words.len() > 3 && words[0] == stage && words[1] == outcome)
    };
    for stage in [
        "(request)",
        "ingress",
        "turn",
        "preprocess",
        "queue",
        "execute",
        "postprocess",
    ] {
        assert!(row(stage, "ok"), "{stage}\n{}", ended.stdout);
    }
    assert!(
        row("(request)", "rejected")
            && row("preprocess", "rejected")
            && row("(request)", "cancelled")
    );
}

#[test]
fn what_comes_together_is_executed_together() {
    // The batch waits for all four: it is full then, long before the time is over.
    let arguments = [&FREE[..], &["--max-batch", "4", "--patience", "60s"]].concat();
    let mut service = Service::start(&arguments, &[]);
    let Ready { http, metrics, .. } = service.ready();
    let metrics = metrics.expect("metrics are on");
    let runtime = Runtime::new().expect("a runtime");
    let pictures = heldout();
    let mut clients = JoinSet::new();
    for (image, digit) in pictures[..4].iter().cloned() {
        let post = async move {
            (
                Client::new(http).post("/predict", image.to_png()).await,
                digit,
            )
        };
        clients.spawn_on(post, runtime.handle());
    }
    for (reply, digit) in runtime.block_on(clients.join_all()) {
        let answer = reply.expect("an answer");
        let answer: Value = serde_json::from_slice(&answer.body).expect("JSON");
        assert_eq!(answer["digit"], digit, "each gets its own answer");
    }
    let model = "model=\"digits\"";
    for (family, expected) in [
        ("inference_batch_size_count", 1),
        ("inference_batch_size_sum", 4),
        ("inference_queue_size", 0),
        ("inference_queue_capacity", 256),
    ] {
        let found = scraped(metrics, family, &[model]);
        assert!(is(found, expected), "{family}: {found}");
    }
    let full = [model, "trigger=\"full\""];
    assert!(is(scraped(metrics, "inference_batches_total", &full), 1));
    let execute = [model, "stage=\"execute\""];
    let members = scraped(metrics, "inference_stage_duration_seconds_count", &execute);
    assert!(is(members, 4));
    service.signal("TERM");
    assert!(service.ended().status.success());
}

#[test]
fn a_full_queue_refuses_and_says_so() {
    let arguments = [&FREE[..], &["--max-batch", "1", "--capacity", "1"]].concat();
    let mut service = Service::start(&arguments, &[]);
    let Ready { http, metrics, .. } = service.ready();
    let metrics = metrics.expect("metrics are on");
    let runtime = Runtime::new().expect("a runtime");
    let picture = heldout()[0].0.to_png();
    let (mut served, mut refused) = (0, 0);
    // One is executed and one waits: it takes three that come within one execution.
    wait_until("the queue is full", || {
        let mut clients = JoinSet::new();
        for _ in 0..16 {
            let picture = picture.clone();
            let burst = async move {
                let mut client = Client::new(http);
                let mut replies = Vec::new();
                for _ in 0..20 {
                    let reply = client.post("/predict", picture.clone()).await;
                    replies.push(reply.expect("an answer"));
                }
                replies
            };
            clients.spawn_on(burst, runtime.handle());
        }
        for reply in runtime.block_on(clients.join_all()).concat() {
            match reply.status {
                StatusCode::OK => served += 1,
                StatusCode::SERVICE_UNAVAILABLE => {
                    assert_eq!(reply.body, "{\"error\":\"the queue is full\"}");
                    refused += 1;
                }
                status => panic!("{status}: {:?}", reply.body),
            }
        }
        refused > 0
    });
    let reason = ["model=\"digits\"", "reason=\"queue_full\""];
    let rejections = scraped(metrics, "inference_rejections_total", &reason);
    assert!(is(rejections, refused), "{rejections} of {refused}");
    assert!(is(counted(metrics, "rejected"), refused));
    assert!(is(counted(metrics, "ok"), served));
    assert!(is(scraped(metrics, "inference_errors_total", &[]), 0));
    service.signal("TERM");
    assert!(service.ended().status.success());
}

#[test]
fn tenants_are_told_apart_once_they_are_known() {
    let (service, http, metrics) = start();
    let runtime = Runtime::new().expect("a runtime");
    let picture = heldout()[0].0.to_png();
    for (key, times) in [
        (Some("demo-acme"), 3),
        (Some("demo-globex"), 2),
        (Some("made-up"), 4),
        (Some("acme"), 1),
        (None, 1),
    ] {
        let mut client = Client::new(http).with_key(key);
        let known = key.is_none_or(|key| key.starts_with("demo-"));
        for _ in 0..times {
            let (status, answer) = post(&runtime, &mut client, picture.clone());
            assert_eq!(status.as_u16(), if known { 200 } else { 401 }, "{answer}");
            assert_eq!(answer["error"].is_string(), !known, "{answer}");
        }
    }
    for (tenant, times) in [("acme", 3), ("globex", 2), ("anonymous", 1)] {
        let tenant = format!("tenant=\"{tenant}\"");
        for (family, label) in [
            ("inference_tenant_requests_total", "outcome=\"ok\""),
            ("inference_tenant_requests_total", "version=\"1\""),
        ] {
            let found = scraped(metrics, family, &[&tenant, label]);
            assert!(is(found, times), "{family} {tenant}: {found}");
        }
        let compute = scraped(metrics, "inference_compute_seconds_total", &[&tenant]);
        assert!(compute > 0.0, "{tenant}");
    }
    // Keys that nobody has been given make no tenants.
    assert!(is(
        scraped(metrics, "inference_tenant_requests_total", &[]),
        6
    ));
    let reason = ["reason=\"unauthorized\""];
    let refused = scraped(metrics, "inference_rejections_total", &reason);
    assert!(is(refused, 5), "{refused}");
    service.signal("TERM");
    assert!(service.ended().status.success());
}

#[test]
fn what_no_handler_takes_is_counted_and_who_leaves_is_named() {
    let (service, http, metrics) = start();
    let runtime = Runtime::new().expect("a runtime");
    let large = heldout()[0].0.to_png_scaled(4000);
    let nowhere = runtime.block_on(Client::new(http).post("/nowhere", ""));
    let nowhere = nowhere.expect("an answer");
    assert_eq!(nowhere.status, StatusCode::NOT_FOUND);
    let reason = ["reason=\"invalid_input\""];
    assert!(is(
        scraped(metrics, "inference_rejections_total", &reason),
        1
    ));
    // Whether the server was quicker than its client left nobody knows beforehand.
    wait_until("a client leaves in time", || {
        let left = runtime.block_on(async {
            let sent = Sent::post(http, "/predict", &large).await?;
            sent.leave().await
        });
        left.expect("it reads the upload").is_none()
    });
    let client = ["model=\"digits\"", "cause=\"client\""];
    wait_until("it is counted", || {
        is(
            scraped(metrics, "inference_cancellations_total", &client),
            1,
        )
    });
    service.signal("TERM");
    assert!(service.ended().status.success());
}

#[test]
fn a_bad_start_is_refused_and_says_why() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let taken = taken.local_addr().map(|addr| (taken, addr.to_string()));
    let (_taken, occupied) = taken.expect("a bound listener has an address");
    let scratch = Scratch::new("models");
    let path = |name: &str| scratch.path().join(name).display().to_string();
    scratch.write("broken.onnx", "not a model");
    let whole = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("models/digits.onnx"));
    let whole = whole.expect("the model is checked in");
    fs::write(path("half.onnx"), &whole[..whole.len() / 2]).expect("a new folder takes files");
    let (missing, broken, half) = (path("missing.onnx"), path("broken.onnx"), path("half.onnx"));

    // 192.0.2.1 is set aside for documentation: no machine has it.
    let none_has_it = "192.0.2.1:8000";
    for listener in ["http", "health", "metrics", "control"] {
        let flag = format!("--{listener}");
        for value in ["nonsense", "127.0.0.1:99999"] {
            refused(&with(&flag, value), &[], value);
        }
        for value in [&*occupied, none_has_it] {
            let text = format!("cannot listen on {value} for {listener}");
            refused(&with(&flag, value), &[], &text);
        }
    }
    let folder = env!("CARGO_MANIFEST_DIR");
    for model in [&*missing, &broken, &half, folder] {
        refused(&with("--model", model), &[], model);
    }
    for (variable, value) in [
        ("INSTRUMENT_METRICS_ADDR", "nonsense"),
        ("INSTRUMENT_METRICS_ADDR", ":9464"),
        ("INSTRUMENT_HEALTH_ADDR", "8081"),
        ("INSTRUMENT_CONTROL_ADDR", "localhost"),
        ("INSTRUMENT_DRAIN_DELAY", "5"),
        ("INSTRUMENT_DISABLED", "maybe"),
    ] {
        let text = format!("{variable} = {value:?}");
        refused(&FREE, &[(variable, value)], &text);
    }
    for listener in ["health", "metrics", "control"] {
        let variable = format!("INSTRUMENT_{}_ADDR", listener.to_uppercase());
        let text = format!("cannot listen on {occupied} for {listener}");
        refused(&FREE, &[(&variable, &occupied)], &text);
    }
}

/// Free ports, but for this.
fn with<'a>(flag: &'a str, value: &'a str) -> Vec<&'a str> {
    let free = FREE.as_chunks().0.iter();
    let others = free.copied().filter(|[other, _]| *other != flag);
    others.chain([[flag, value]]).flatten().collect()
}

/// Starts it and expects that it complains of `text` and nothing else.
fn refused(arguments: &[&str], variables: &[(&str, &str)], text: &str) {
    let ended = Service::start(arguments, variables).ended();
    let asked = format!("{arguments:?} {variables:?}: {ended:?}");
    assert_eq!(ended.status.code(), Some(1), "{asked}");
    assert!(ended.stdout.is_empty(), "{asked}");
    let complaints = ended.complaints().join("\n");
    let named = complaints.starts_with("error: ") && complaints.contains(text);
    assert!(named, "no `{text}`: {asked}");
}

#[test]
fn a_wrong_flag_is_told_apart_from_a_bad_start() {
    let ended = Service::start(&["--port", "8000"], &[]).ended();
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    assert!(
        ended.stderr.contains("`--port`") && ended.stderr.contains("usage:"),
        "{ended:?}"
    );
    let ended = Service::start(&["--help"], &[]).ended();
    assert!(
        ended.status.success() && ended.stdout.contains("INSTRUMENT_METRICS_ADDR"),
        "{ended:?}"
    );
}

#[test]
fn disabled_telemetry_leaves_the_answers_and_health() {
    let addr = peer::free_addr();
    let metrics = addr.to_string();
    let variables = [
        ("INSTRUMENT_DISABLED", "1"),
        ("INSTRUMENT_METRICS_ADDR", &*metrics),
    ];
    let mut service = Service::start(&FREE, &variables);
    let ready = service.ready();
    assert_eq!(ready.metrics, None);
    assert!(peer::get(addr, "/metrics").is_err(), "nobody listens there");
    let runtime = Runtime::new().expect("a runtime");
    let mut client = Client::new(ready.http);
    let (image, digit) = heldout()[0].clone();
    let (status, answer) = post(&runtime, &mut client, image.to_png());
    assert_eq!(
        (status.as_u16(), &answer["digit"]),
        (200, &Value::from(digit))
    );
    let (status, _) = post(&runtime, &mut client, b"bad".to_vec());
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let health = peer::get(ready.health, "/health").expect("health goes on");
    assert_eq!(health.status, 200, "{}", health.body);
    // Without metrics nobody counts who waits, and what is not known is left out.
    let has = |key: &str| health.body.contains(key);
    assert!(has("\"model\":\"digits\"") && !has("queue_depth"));
    assert!(TcpStream::connect(ready.control).is_ok());
    service.signal("TERM");
    assert!(service.ended().status.success());
    let ended = Service::start(&["--demo"], &[("INSTRUMENT_DISABLED", "1")]).ended();
    assert_eq!(ended.status.code(), Some(1));
    assert!(ended.stderr.contains("INSTRUMENT_DISABLED"), "{ended:?}");
}
