//! From the start to the end: models, holding back, draining, signals, and in which order everything ends.

use crate::peer::{Scratch, get};
use crate::story::{self, until};
use crate::{builder, install, probe, runtime, stop};
use instrument_inference::{Telemetry, check, health_check};
use std::process::Command;
use std::time::Duration;

#[health_check(cache = "1s", timeout = "100ms", group = ["readiness", "liveness"])]
fn well() {}

#[test]
fn signals_drain() {
    for story in ["terminated", "terminated_twice", "interrupted"] {
        let text = story::tell(story, &[("INSTRUMENT_DRAIN_DELAY", "2s")]);
        let line = "readiness is unhealthy: reason=draining check=lifecycle since=";
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn disabled_stops_recording_and_not_health() {
    story::tell("disabled", &[("INSTRUMENT_DISABLED", "1")]);
}

#[test]
fn a_stopped_process_is_not_restarted_when_it_goes_on() {
    story::tell("frozen", &[]);
}

#[test]
fn wrong_variables_are_named() {
    story::tell(
        "wrong_variables",
        &[
            ("INSTRUMENT_HEALTH_ADDR", "8081"),
            ("INSTRUMENT_CONTROL_ADDR", "x"),
            ("INSTRUMENT_DRAIN_DELAY", "5"),
        ],
    );
}

/// Stories that need variables or say something that a test reads.
pub fn tell(story: &str) -> bool {
    match story {
        "terminated" => signalled(&["TERM"]),
        "terminated_twice" => signalled(&["TERM", "TERM"]),
        "interrupted" => signalled(&["INT"]),
        "disabled" => disabled(),
        "frozen" => frozen(),
        "wrong_variables" => wrong_variables(),
        _ => return false,
    }
    true
}

fn signal(name: &str) {
    let pid = std::process::id().to_string();
    let sent = Command::new("kill").args(["-s", name, &pid]).status();
    assert!(sent.is_ok_and(|status| status.success()), "kill -s {name}");
}

fn signalled(signals: &[&str]) {
    let scratch = Scratch::new("termination");
    let log = scratch.write("log", "");
    let (telemetry, health) = install(
        builder()
            .handle_signals()
            .termination_log(&log)
            .checks([check!(well)])
            .from_env(),
    );
    until("it is ready", || probe(health, "/readyz").status == 200);
    let runtime = runtime(1);
    let draining = runtime.spawn(telemetry.draining());
    signal(signals[0]);
    until("it says so", || probe(health, "/readyz").status == 503);
    let body = probe(health, "/readyz").body;
    assert!(body.contains("\"reason\":\"draining\""), "{body}");
    assert_eq!(probe(health, "/livez").status, 200);
    assert_eq!(probe(health, "/startupz").status, 200);
    assert!(telemetry.is_draining());
    // taking it out of the drain is not possible
    telemetry.maintenance(true);
    telemetry.maintenance(false);
    telemetry.ready();
    assert_eq!(probe(health, "/readyz").status, 503);
    let waits = signals == ["TERM"];
    assert!(!waits || !draining.is_finished(), "traffic still comes");
    for name in &signals[1..] {
        signal(name);
    }
    runtime.block_on(draining).expect("it resolves");
    assert_eq!(probe(health, "/readyz").status, 503, "until the end");
    until("the last word is written", || {
        std::fs::read_to_string(&log).is_ok_and(|text| {
            text.starts_with("readiness is unhealthy: reason=draining") && text.ends_with('\n')
        })
    });
    stop(&telemetry);
    assert!(get(health, "/livez").is_err(), "closed");
}

fn disabled() {
    let (telemetry, health) = install(builder().checks([check!(well)]).from_env());
    assert!(!telemetry.is_enabled() && telemetry.metrics_addr().is_none());
    until("it is ready", || probe(health, "/readyz").status == 200);
    let slot = telemetry.model("digits", "1");
    assert!(!slot.is_ready());
    let loaded: Result<(), String> = slot.load(|| {
        let body = probe(health, "/readyz").body;
        assert!(body.contains("model_loading"), "{body}");
        Ok(())
    });
    loaded.expect("it says so");
    assert!(slot.is_ready());
    assert_eq!(probe(health, "/v2/models/digits/ready").status, 200);
    assert_eq!(telemetry.scrape(), "");
    // nothing is known of executions
    assert_eq!(probe(health, "/readyz/stalled").status, 404);
    telemetry.drain();
    assert!(telemetry.is_draining());
    stop(&telemetry);
}

/// The check is fresh for 1 s and trusted for 3 s; the process stands still for longer.
fn frozen() {
    let (telemetry, health) = install(builder().checks([check!(well)]));
    until("it is ready", || probe(health, "/readyz").status == 200);
    let pid = std::process::id();
    // somebody outside stops it, and lets it go on
    let script = format!("kill -s STOP {pid}; sleep 4; kill -s CONT {pid}");
    let mut outside = Command::new("sh")
        .args(["-c", &script])
        .spawn()
        .expect("a shell");
    let mut worst = 200;
    loop {
        // one that was under way for the 4 s may be given up
        if let Ok(live) = get(health, "/livez") {
            assert_eq!(live.status, 200);
        }
        worst = worst.max(get(health, "/readyz").map_or(200, |ready| ready.status));
        if outside.try_wait().expect("it can be waited for").is_some() {
            break;
        }
    }
    until("it is ready again", || {
        probe(health, "/readyz").status == 200
    });
    stop(&telemetry);
}

fn wrong_variables() {
    let error = builder().from_env().install().expect_err("all are wrong");
    let text = error.to_string();
    for name in ["HEALTH_ADDR", "CONTROL_ADDR", "DRAIN_DELAY"] {
        assert!(text.contains(&format!("INSTRUMENT_{name} = ")), "{text}");
    }
}

pub mod told {
    use super::*;
    use instrument_inference::{Group, HealthStatus, Reason};
    use tonic::transport::Server;

    pub fn readiness_follows_the_models() {
        let telemetry = Telemetry::builder("story")
            .linked_checks(false)
            .health_addr("127.0.0.1:0")
            .install()
            .expect("it can be installed");
        let health = telemetry.health_addr().expect("it was asked for");
        let reason = || telemetry.health().reason(Group::Readiness);
        assert_eq!(reason(), Some(Reason::MODEL_NOT_LOADED));
        assert_eq!(probe(health, "/readyz").status, 503);
        assert_eq!(probe(health, "/livez").status, 200);
        let slot = telemetry.model("digits", "1");
        assert_eq!(reason(), Some(Reason::MODEL_LOADING));
        let _: Result<(), &str> = slot.load(|| Err("no such file"));
        assert_eq!(reason(), Some(Reason::MODEL_LOAD_FAILED));
        assert_eq!(probe(health, "/startupz").status, 503);
        let _: Result<(), &str> = slot.load(|| Ok(()));
        assert_eq!(reason(), None);
        assert_eq!(probe(health, "/startupz").status, 200);
        assert_eq!(
            probe(health, "/v2/models/digits/versions/1/ready").status,
            200
        );
        assert_eq!(probe(health, "/v2/models/letters/ready").status, 404);
        slot.unload();
        assert_eq!(probe(health, "/readyz").status, 503);
        // a listing is no signal of readiness, and startup is for ever
        assert_eq!(probe(health, "/startupz").status, 200);
        stop(&telemetry);
    }

    pub fn a_service_that_holds_itself_back_is_not_ready() {
        let (telemetry, health) = install(builder().hold());
        let body = probe(health, "/readyz").body;
        assert!(body.contains("\"reason\":\"starting\""), "{body}");
        telemetry.ready();
        assert_eq!(probe(health, "/readyz").status, 200);
        telemetry.maintenance(true);
        let body = probe(health, "/readyz").body;
        assert!(body.contains("\"reason\":\"maintenance\""), "{body}");
        telemetry.maintenance(false);
        assert_eq!(
            telemetry.health().status(Group::Readiness),
            HealthStatus::Healthy
        );
        stop(&telemetry);
    }

    pub fn a_drain_is_told_at_once_and_ends_after_its_delay() {
        let (telemetry, health) = install(builder().drain_delay(Duration::from_millis(700)));
        let runtime = runtime(1);
        let mut early = std::pin::pin!(telemetry.draining());
        runtime.block_on(async {
            let now = tokio::time::timeout(Duration::from_millis(50), &mut early).await;
            assert!(now.is_err(), "nobody has asked for it");
        });
        telemetry.drain();
        telemetry.drain();
        assert_eq!(probe(health, "/readyz").status, 503);
        runtime.block_on(early);
        // whoever comes later waits for nothing
        runtime.block_on(telemetry.draining());
        stop(&telemetry);
    }

    /// An axum server and a tonic server of the service, with a watch open on the latter: both end by themselves, and the
    /// health address after them.
    pub fn servers_of_the_service_end_before_the_health_address() {
        let (telemetry, health) = install(builder().drain_delay(Duration::from_millis(300)));
        let runtime = runtime(2);
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let http = listener.local_addr().unwrap();
            let app = axum::Router::new()
                .route("/predict", axum::routing::get(|| async { "7" }))
                .merge(telemetry.health_router());
            let web = axum::serve(listener, app).with_graceful_shutdown(telemetry.draining());
            let web = tokio::spawn(web.into_future());
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let grpc = listener.local_addr().unwrap();
            let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
            let rpc = Server::builder()
                .add_routes(telemetry.control_routes())
                .serve_with_incoming_shutdown(incoming, telemetry.draining());
            let rpc = tokio::spawn(rpc);
            let channel = tonic::transport::Endpoint::new(format!("http://{grpc}"))
                .unwrap()
                .connect()
                .await
                .unwrap();
            let watching = tokio::spawn(crate::life::watch(channel));
            until_async(|| crate::value(&telemetry, "inference_health_watch_streams") == Some(1.0))
                .await;
            telemetry.drain();
            let answer = tokio::task::spawn_blocking(move || {
                (
                    crate::probe(http, "/predict"),
                    crate::probe(http, "/readyz"),
                )
            });
            let (predict, ready) = answer.await.unwrap();
            assert_eq!((predict.status, ready.status), (200, 503));
            web.await.unwrap().unwrap();
            rpc.await.unwrap().unwrap();
            let (statuses, end) = watching.await.unwrap();
            // SERVING, NOT_SERVING
            assert_eq!(statuses, [1, 2]);
            assert_eq!(end, tonic::Code::Unavailable);
            assert_eq!(probe(health, "/livez").status, 200, "still there");
            telemetry.shutdown().await.unwrap();
            assert!(get(health, "/livez").is_err(), "the last one");
        });
    }

    async fn until_async(mut is: impl FnMut() -> bool) {
        let deadline = std::time::Instant::now() + story::PATIENCE;
        while !is() {
            assert!(std::time::Instant::now() < deadline);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub fn what_is_mounted_answers_the_same() {
        let (telemetry, health) = install(builder().checks([check!(well)]));
        until("it is ready", || probe(health, "/readyz").status == 200);
        let runtime = runtime(1);
        let app = axum::Router::new()
            .nest("/ops", telemetry.health_router())
            .merge(telemetry.metrics_router());
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .unwrap();
        let mounted = listener.local_addr().unwrap();
        runtime.spawn(axum::serve(listener, app).into_future());
        for path in [
            "/livez",
            "/readyz",
            "/readyz/well",
            "/readyz/none",
            "/v2/health/live",
        ] {
            let (one, other) = (probe(health, path), probe(mounted, &format!("/ops{path}")));
            assert_eq!(one.status, other.status, "{path}");
            // but for the age of what is said
            let said = |body: &str| body.split("\"age_ms\"").next().map(str::to_owned);
            assert_eq!(said(&one.body), said(&other.body), "{path}");
        }
        let scrape = probe(mounted, "/metrics");
        assert!(
            scrape.body.contains("inference_health_state"),
            "{}",
            scrape.body
        );
        stop(&telemetry);
    }
}

/// What `Watch` of the gRPC health protocol says until its end: the messages are so small that they are read by hand.
async fn watch(channel: tonic::transport::Channel) -> (Vec<u8>, tonic::Code) {
    use tonic::client::Grpc;
    let mut grpc = Grpc::new(channel);
    grpc.ready().await.expect("it is connected");
    let path = "/grpc.health.v1.Health/Watch".parse().expect("a path");
    let request = tonic::Request::new(());
    let answer = grpc.server_streaming(request, path, bytes_codec::Raw).await;
    let mut stream = answer.expect("it is answered").into_inner();
    let mut statuses = Vec::new();
    loop {
        match stream.message().await {
            Ok(Some(message)) => statuses.push(message.last().copied().unwrap_or(0)),
            Ok(None) => return (statuses, tonic::Code::Ok),
            Err(status) => return (statuses, status.code()),
        }
    }
}

mod bytes_codec {
    //! Nothing is sent, and what comes is taken as it is.
    use bytes::{Buf, Bytes};
    use tonic::Status;
    use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

    #[derive(Debug, Clone, Copy)]
    pub struct Raw;

    impl Codec for Raw {
        type Encode = ();
        type Decode = Bytes;
        type Encoder = Raw;
        type Decoder = Raw;

        fn encoder(&mut self) -> Raw {
            Raw
        }

        fn decoder(&mut self) -> Raw {
            Raw
        }
    }

    impl Encoder for Raw {
        type Item = ();
        type Error = Status;

        fn encode(&mut self, (): (), _: &mut EncodeBuf<'_>) -> Result<(), Status> {
            Ok(())
        }
    }

    impl Decoder for Raw {
        type Item = Bytes;
        type Error = Status;

        fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
            let length = from.remaining();
            Ok(Some(from.copy_to_bytes(length)))
        }
    }
}
