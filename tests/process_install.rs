//! Installing, serving and stopping: what is global, so each story runs in a process of its own.
//!
//! A test starts this very program again with the name of a story; the story's process runs it and says `done`.
#![cfg(all(feature = "prometheus", feature = "http"))]
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "nobody uses a test from outside"
)]

#[path = "peers/peer.rs"]
mod peer;
#[path = "peers/story.rs"]
mod story;

use instrument_inference::{
    FinishReason, InstallError, RequestContext, Sequence, Telemetry, inference_request,
    inference_stage,
};
use std::future::pending;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use story::PATIENCE;

#[inference_stage("execute")]
fn execute() -> u8 {
    1
}

#[inference_request(ingress = "http")]
async fn predict() -> u8 {
    execute()
}

static ASKED: AtomicU32 = AtomicU32::new(0);

fn asked() -> bool {
    ASKED.fetch_add(1, Ordering::Relaxed) > 0
}

#[inference_stage("postprocess", labels(cached = asked()))]
fn labelled() -> u8 {
    2
}

#[inference_stage("rerank")]
async fn never_ends() {
    pending::<()>().await;
}

macro_rules! stories {
    ($($story:ident $(with $variables:expr)?;)*) => {
        $(#[test]
        fn $story() {
            #[allow(unused_mut, unused_assignments, reason = "most stories have none")]
            let mut variables: &[(&str, &str)] = &[];
            $(variables = &$variables;)?
            story::tell(stringify!($story), variables);
        })*

        /// Not a test of its own: what a started process runs.
        #[test]
        fn story() {
            let Some(story) = story::wanted() else { return };
            match story.as_str() {
                $(stringify!($story) => told::$story(),)*
                "one_flavour" => told::one_flavour(),
                other => panic!("no story {other}"),
            }
            println!("story told");
        }
    };
}

stories! {
    a_second_installation_names_both_places;
    an_installation_after_a_shutdown_is_refused_too;
    what_ran_before_the_installation_is_recorded_from_then_on;
    an_occupied_port_is_named_and_nothing_is_left_running;
    wrong_settings_are_all_named_at_once with [("INSTRUMENT_METRICS_ADDR", "nonsense"), ("INSTRUMENT_DISABLED", "maybe")];
    the_environment_wins with [("INSTRUMENT_METRICS_ADDR", "127.0.0.1:0"), ("OTEL_SERVICE_NAME", "from-env"), ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")];
    disabled_records_and_serves_nothing with [("INSTRUMENT_DISABLED", "1")];
    every_runtime_flavour_can_install_flush_and_stop;
    series_of_linked_stages_exist_before_they_run;
    metrics_are_served_as_prometheus_asks_for_them;
    what_is_installed_runs_on_without_its_handle;
    slow_and_silent_clients_keep_nobody_out;
    a_stop_closes_the_port_and_what_runs_on_is_ignored;
    a_textfile_appears_whole;
    more_than_a_ring_holds_is_all_there;
    wrong_resource_attributes_are_named with [("OTEL_RESOURCE_ATTRIBUTES", "a=b,garbage")];
    odd_resource_attributes_do_not_spoil_the_scrape with [("OTEL_RESOURCE_ATTRIBUTES", "1a=x,ok=y")];
    a_scrape_inside_a_scrape_is_empty_and_hangs_nobody;
    a_stage_inside_a_callback_hangs_nobody;
    a_callback_that_panics_is_told_and_nobody_panics_with_it;
    clients_that_hang_up_leave_no_work_behind;
    clients_that_never_read_are_cut_off;
    levels_and_budgets_are_read with [("INSTRUMENT_LEVEL", "core"), ("INSTRUMENT_LINE_BUDGET", "1000")];
    wrong_levels_and_budgets_are_named with [("INSTRUMENT_LEVEL", "much"), ("INSTRUMENT_LINE_BUDGET", "-1")];
}

mod told {
    use super::*;

    fn builder() -> instrument_inference::TelemetryBuilder {
        Telemetry::builder("story").metrics_addr("127.0.0.1:0")
    }

    fn block_on<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(future)
    }

    fn stop(telemetry: &Telemetry) {
        telemetry.shutdown_blocking(PATIENCE).expect("it stops");
    }

    /// Sends `request` as it is and reads until the other side closes.
    fn raw(address: SocketAddr, request: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        answer
    }

    fn ask(address: SocketAddr, method: &str, path: &str, more: &str) -> Vec<u8> {
        raw(
            address,
            &format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{more}\r\n"),
        )
    }

    fn text(answer: &[u8]) -> String {
        String::from_utf8_lossy(answer).into_owned()
    }

    pub fn a_second_installation_names_both_places() {
        let (telemetry, first) = (builder().install().unwrap(), line!());
        let (again, second) = (builder().install(), line!());
        let error = again.unwrap_err();
        assert!(matches!(error, InstallError::AlreadyInstalled { .. }));
        let text = error.to_string();
        for line in [first, second] {
            assert!(
                text.contains(&format!("process_install.rs:{line}:")),
                "{text}"
            );
        }
        stop(&telemetry);
    }

    pub fn an_installation_after_a_shutdown_is_refused_too() {
        let telemetry = builder().install().unwrap();
        stop(&telemetry);
        stop(&telemetry);
        assert!(matches!(
            builder().install(),
            Err(InstallError::AlreadyInstalled { .. })
        ));
    }

    pub fn what_ran_before_the_installation_is_recorded_from_then_on() {
        use futures::FutureExt;
        let meter = instrument_inference::queue::meter("early", 4);
        let queued = meter.wrap(1);
        let mut before = Box::pin(never_ends());
        assert!(before.as_mut().now_or_never().is_none());
        assert_eq!(block_on(predict()), 1);
        let telemetry = builder().install().unwrap();
        assert!(before.as_mut().now_or_never().is_none());
        drop((before, queued));
        let scrape = telemetry.scrape();
        assert!(!scrape.contains("outcome=\"cancelled\""), "{scrape}");
        // the same places, the same queue
        assert_eq!(block_on(predict()), 1);
        let mut after = Box::pin(never_ends());
        assert!(after.as_mut().now_or_never().is_none());
        drop((after, meter.wrap(2)));
        let scrape = telemetry.scrape();
        let labels = "model=\"none\",outcome";
        for line in [
            format!(
                "inference_requests_total{{ingress=\"http\",{labels}=\"ok\",version=\"none\"}} 1"
            ),
            format!(
                "inference_stage_duration_seconds_count{{{labels}=\"ok\",stage=\"execute\",version=\"none\"}} 1"
            ),
            format!(
                "inference_stage_duration_seconds_count{{{labels}=\"cancelled\",stage=\"rerank\",version=\"none\"}} 1"
            ),
            format!(
                "inference_stage_duration_seconds_count{{{labels}=\"cancelled\",stage=\"queue\",version=\"none\"}} 1"
            ),
            "inference_queue_size{model=\"none\",queue=\"early\",version=\"none\"} 0".to_owned(),
            "inference_stage_in_flight{model=\"none\",stage=\"rerank\",version=\"none\"} 0"
                .to_owned(),
        ] {
            assert!(scrape.contains(&line), "no {line} in\n{scrape}");
        }
        stop(&telemetry);
    }

    pub fn an_occupied_port_is_named_and_nothing_is_left_running() {
        let occupied = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = occupied.local_addr().unwrap().to_string();
        let error = Telemetry::builder("story")
            .metrics_addr(&address)
            .install()
            .unwrap_err();
        assert!(matches!(
            error,
            InstallError::Bind {
                listener: "metrics",
                ..
            }
        ));
        let error = error.to_string();
        for part in [&*address, "`metrics_addr`", "INSTRUMENT_METRICS_ADDR"] {
            assert!(error.contains(part), "{error}");
        }
        drop(occupied);
        let telemetry = Telemetry::builder("story")
            .metrics_addr(&address)
            .install()
            .unwrap();
        assert_eq!(telemetry.metrics_addr().unwrap().to_string(), address);
        stop(&telemetry);
    }

    pub fn wrong_settings_are_all_named_at_once() {
        let error = Telemetry::defaults(" ").install().unwrap_err().to_string();
        for part in [
            "INSTRUMENT_METRICS_ADDR = \"nonsense\"",
            "INSTRUMENT_DISABLED = \"maybe\"",
            "service = \" \"",
        ] {
            assert!(error.contains(part), "{error}");
        }
        assert_eq!(execute(), 1);
    }

    pub fn the_environment_wins() {
        let telemetry = Telemetry::defaults("from-code")
            .service_version("7")
            .install()
            .unwrap();
        assert_ne!(telemetry.metrics_addr().unwrap().port(), 9464);
        let scrape = telemetry.scrape();
        let info = scrape
            .lines()
            .find(|line| line.starts_with("target_info{"))
            .unwrap();
        for label in [
            "service_name=\"from-env\"",
            "service_version=\"7\"",
            "deployment_environment_name=\"test\"",
        ] {
            assert!(info.contains(label), "{info}");
        }
        assert_eq!(labelled(), 2);
        assert_eq!(ASKED.load(Ordering::Relaxed), 1);
        assert_eq!(threads("instrument-drain"), 1);
        stop(&telemetry);
    }

    /// How many threads have a name; the kernel keeps 15 letters of it.
    fn threads(name: &str) -> usize {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap();
        let names = tasks
            .filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")).ok());
        names
            .filter(|known| known.trim_end() == &name[..15])
            .count()
    }

    pub fn disabled_records_and_serves_nothing() {
        let telemetry = Telemetry::defaults("story").install().unwrap();
        let slot = telemetry.model("m", "1");
        assert!(!telemetry.is_enabled());
        slot.kv_usage(0.5);
        slot.kv_cache(16, 1_024);
        slot.cache("prefix", true);
        let mut sequence = Sequence::begin(RequestContext::current());
        sequence.tokens(1);
        sequence.finish(FinishReason::Stop);
        assert_eq!(block_on(predict()), 1);
        assert_eq!(labelled(), 2);
        assert_eq!(ASKED.load(Ordering::Relaxed), 0, "no label is asked for");
        assert_eq!(
            (threads("instrument-drain"), threads("instrument-push")),
            (0, 0)
        );
        telemetry.meter().u64_counter("own").build().add(1, &[]);
        assert_eq!(
            (telemetry.metrics_addr(), telemetry.scrape().as_str()),
            (None, "")
        );
        assert!(telemetry.summary().rows().is_empty());
        block_on(telemetry.flush()).unwrap();
        stop(&telemetry);
    }

    pub fn every_runtime_flavour_can_install_flush_and_stop() {
        // one process has one installation, so this one tells its own story again for each flavour
        for flavour in [
            "none",
            "current thread",
            "one worker, in a task",
            "two workers",
            "local set",
            "spawn_blocking",
        ] {
            crate::story::tell("one_flavour", &[("FLAVOUR", flavour)]);
        }
    }

    pub fn one_flavour() {
        let flavour = std::env::var("FLAVOUR").unwrap();
        let all = || async {
            let telemetry = builder().install().unwrap();
            assert_eq!(predict().await, 1);
            telemetry.flush().await.unwrap();
            assert!(telemetry.scrape().contains("inference_requests_total"));
            telemetry.shutdown().await.unwrap();
            telemetry.shutdown().await.unwrap();
        };
        let workers = |count| {
            tokio::runtime::Builder::new_multi_thread()
                .worker_threads(count)
                .build()
                .unwrap()
        };
        match flavour.as_str() {
            "none" => futures::executor::block_on(all()),
            "current thread" => tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap()
                .block_on(all()),
            "one worker, in a task" => {
                let runtime = workers(1);
                runtime.block_on(runtime.spawn(all())).unwrap();
            }
            "two workers" => workers(2).block_on(all()),
            "local set" => {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .build()
                    .unwrap();
                tokio::task::LocalSet::new().block_on(&runtime, all());
            }
            "spawn_blocking" => {
                let runtime = workers(1);
                let blocking = runtime.spawn_blocking(|| {
                    let telemetry = builder().install().unwrap();
                    telemetry.shutdown_blocking(PATIENCE).unwrap();
                });
                runtime.block_on(blocking).unwrap();
            }
            other => panic!("no flavour {other}"),
        }
    }

    pub fn series_of_linked_stages_exist_before_they_run() {
        let telemetry = builder().install().unwrap();
        let _slot = telemetry.model("m", "1");
        let scrape = telemetry.scrape();
        for line in [
            "inference_stage_duration_seconds_count{model=\"m\",outcome=\"ok\",stage=\"execute\",version=\"1\"} 0",
            "inference_stage_duration_seconds_count{model=\"m\",outcome=\"ok\",stage=\"rerank\",version=\"1\"} 0",
            "inference_request_duration_seconds_count{model=\"m\",outcome=\"ok\",version=\"1\"} 0",
            "inference_requests_total{ingress=\"http\",model=\"m\",outcome=\"error\",version=\"1\"} 0",
            "inference_stage_in_flight{model=\"m\",stage=\"rerank\",version=\"1\"} 0",
            "inference_unattributed_seconds_total{model=\"m\",version=\"1\"} 0",
        ] {
            assert!(scrape.contains(line), "no {line} in\n{scrape}");
        }
        stop(&telemetry);
    }

    pub fn what_is_installed_runs_on_without_its_handle() {
        let address = builder().install().unwrap().metrics_addr().unwrap();
        block_on(predict());
        let answer = text(&ask(address, "GET", "/metrics", ""));
        assert!(
            answer.contains("inference_requests_total{ingress=\"http\",model=\"none\",outcome=\"ok\",version=\"none\"} 1\n"),
            "{answer}"
        );
    }

    pub fn metrics_are_served_as_prometheus_asks_for_them() {
        let telemetry = builder().install().unwrap();
        let address = telemetry.metrics_addr().unwrap();
        let _slot = telemetry.model("m", "1");
        block_on(predict());

        let plain = text(&ask(address, "GET", "/metrics", ""));
        assert!(plain.starts_with("HTTP/1.1 200 OK\r\n"), "{plain}");
        assert!(
            plain.contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n"),
            "{plain}"
        );
        assert!(plain.contains("inference_requests_total{ingress=\"http\",model=\"m\",outcome=\"ok\",version=\"1\"} 1\n"));

        let head = text(&ask(address, "HEAD", "/metrics", ""));
        assert!(
            head.starts_with("HTTP/1.1 200 OK\r\n") && head.ends_with("\r\n\r\n"),
            "{head}"
        );

        let zipped = ask(
            address,
            "GET",
            "/metrics",
            "accept-encoding: deflate, gzip\r\n",
        );
        let body = zipped
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .unwrap()
            + 4;
        assert!(text(&zipped[..body]).contains("content-encoding: gzip\r\n"));
        assert_eq!(&zipped[body..body + 2], [0x1f, 0x8b]);
        assert!(
            zipped.len() * 4 < plain.len(),
            "{} of {}",
            zipped.len(),
            plain.len()
        );

        let some = text(&ask(
            address,
            "GET",
            "/metrics?name[]=inference_requests_total&name%5B%5D=inference_errors_total",
            "",
        ));
        assert!(
            some.contains("inference_requests_total{")
                && !some.contains("inference_stage_duration"),
            "{some}"
        );

        assert!(text(&ask(address, "GET", "/nothing", "")).starts_with("HTTP/1.1 404 "));
        assert!(
            text(&ask(address, "POST", "/metrics", "content-length: 0\r\n"))
                .starts_with("HTTP/1.1 405 ")
        );
        assert!(text(&raw(address, "nonsense\r\n\r\n")).starts_with("HTTP/1.1 400 "));
        stop(&telemetry);
    }

    pub fn slow_and_silent_clients_keep_nobody_out() {
        let telemetry = builder().install().unwrap();
        let address = telemetry.metrics_addr().unwrap();
        let mut silent: Vec<_> = (0..300)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        for (at, stream) in silent.iter_mut().enumerate() {
            if at % 2 == 0 {
                // the beginning of a request whose end never comes
                let _ = stream.write_all(b"GET /metrics HTTP/1.1\r\nhost:");
            }
        }
        let answer = peer::get(address, "/metrics").unwrap();
        assert_eq!(answer.status, 200);
        drop(silent);
        stop(&telemetry);
    }

    pub fn a_stop_closes_the_port_and_what_runs_on_is_ignored() {
        use futures::FutureExt;
        let telemetry = builder().install().unwrap();
        let address = telemetry.metrics_addr().unwrap();
        let mut running = Box::pin(never_ends());
        assert!(running.as_mut().now_or_never().is_none());
        stop(&telemetry);
        assert!(
            TcpStream::connect(address).is_err(),
            "nobody listens any more"
        );
        assert!(running.as_mut().now_or_never().is_none());
        drop(running);
        assert_eq!(block_on(predict()), 1);
        assert!(
            !telemetry
                .scrape()
                .contains("outcome=\"cancelled\",stage=\"rerank\"")
        );
        block_on(telemetry.flush()).expect("there is nothing left to flush");
    }

    pub fn a_textfile_appears_whole() {
        let telemetry = builder().install().unwrap();
        let scratch = peer::Scratch::new("textfile");
        let path = scratch.path().join("job.prom");
        block_on(predict());
        telemetry.write_textfile(&path).unwrap();
        let written = std::fs::read_to_string(&path).unwrap();
        assert!(written.contains("inference_requests_total{") && written.ends_with('\n'));
        assert_eq!(
            std::fs::read_dir(scratch.path()).unwrap().count(),
            1,
            "nothing unfinished is left"
        );
        assert!(
            telemetry
                .write_textfile(scratch.path().join("no/such/folder.prom"))
                .is_err()
        );
        stop(&telemetry);
    }

    pub fn wrong_resource_attributes_are_named() {
        let error = Telemetry::defaults("story")
            .install()
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("OTEL_RESOURCE_ATTRIBUTES") && error.contains("`garbage`"),
            "{error}"
        );
    }

    pub fn odd_resource_attributes_do_not_spoil_the_scrape() {
        let telemetry = builder().from_env().install().unwrap();
        let scrape = telemetry.scrape();
        let info = scrape
            .lines()
            .find(|line| line.starts_with("target_info{"))
            .unwrap();
        assert!(
            info.contains("_1a=\"x\"") && info.contains("ok=\"y\""),
            "{info}"
        );
        stop(&telemetry);
    }

    pub fn a_scrape_inside_a_scrape_is_empty_and_hangs_nobody() {
        let telemetry = builder().install().unwrap();
        let inner = telemetry.clone();
        let meter = telemetry.meter();
        let gauge = meter.u64_observable_gauge("own");
        let _ = gauge
            .with_callback(move |point| point.observe(inner.scrape().len() as u64, &[]))
            .build();
        assert!(telemetry.scrape().contains("own 0\n"));
        stop(&telemetry);
    }

    pub fn a_stage_inside_a_callback_hangs_nobody() {
        #[inference_stage("own_layout", buckets = [0.7, 0.8])]
        fn depth() -> u64 {
            3
        }
        let telemetry = builder().install().unwrap();
        let meter = telemetry.meter();
        let gauge = meter.u64_observable_gauge("own");
        let _ = gauge
            .with_callback(|point| point.observe(depth(), &[]))
            .build();
        assert!(telemetry.scrape().contains("own 3\n"));
        let _slot = telemetry.model("m", "1");
        assert!(telemetry.scrape().contains("stage=\"own_layout\""));
        stop(&telemetry);
    }

    pub fn a_callback_that_panics_is_told_and_nobody_panics_with_it() {
        let telemetry = builder().install().unwrap();
        let address = telemetry.metrics_addr().unwrap();
        let meter = telemetry.meter();
        let gauge = meter.u64_observable_gauge("own");
        let _ = gauge
            .with_callback(|_| panic!("in the service's own callback"))
            .build();
        block_on(predict());
        for _ in 0..3 {
            let answer = text(&ask(address, "GET", "/metrics", ""));
            assert!(
                answer.starts_with("HTTP/1.1 200 ") && answer.contains("inference_build_info"),
                "the others are there: {answer}"
            );
            assert!(!answer.contains("\nown "), "{answer}");
        }
        assert!(!telemetry.summary().rows().is_empty());
        stop(&telemetry);
    }

    pub fn clients_that_hang_up_leave_no_work_behind() {
        let telemetry = builder().install().unwrap();
        let address = telemetry.metrics_addr().unwrap();
        for _ in 0..500 {
            let mut stream = TcpStream::connect(address).unwrap();
            stream
                .write_all(b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n")
                .unwrap();
        }
        assert_eq!(peer::get(address, "/metrics").unwrap().status, 200);
        stop(&telemetry);
    }

    pub fn clients_that_never_read_are_cut_off() {
        let telemetry = builder().install().unwrap();
        let address = telemetry.metrics_addr().unwrap();
        // far more than the buffers of both sides of a connection hold
        let counter = telemetry.meter().u64_counter("own").build();
        for number in 0..2_000 {
            let label =
                opentelemetry::KeyValue::new("label", format!("{number}{}", "x".repeat(8_000)));
            counter.add(1, &[label]);
        }
        let mut silent = TcpStream::connect(address).unwrap();
        silent
            .write_all(b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n")
            .unwrap();
        silent.set_read_timeout(Some(PATIENCE)).unwrap();
        // the first byte says that the answer is on its way; then nothing is read until the other side has given up
        silent.read_exact(&mut [0; 1]).unwrap();
        let begun = Instant::now();
        while silent.write_all(b"x").is_ok() {
            assert!(begun.elapsed() < PATIENCE, "never cut off");
            std::thread::park_timeout(Duration::from_millis(50));
        }
        stop(&telemetry);
    }

    pub fn levels_and_budgets_are_read() {
        let telemetry = builder().from_env().install().unwrap();
        block_on(predict());
        assert!(
            telemetry
                .scrape()
                .contains("inference_requests_total{model=\"none\",outcome=\"ok\"")
        );
        stop(&telemetry);
    }

    pub fn wrong_levels_and_budgets_are_named() {
        let error = builder().from_env().install().unwrap_err().to_string();
        assert!(
            error.contains("INSTRUMENT_LEVEL = \"much\"")
                && error.contains("INSTRUMENT_LINE_BUDGET = \"-1\""),
            "{error}"
        );
    }

    pub fn more_than_a_ring_holds_is_all_there() {
        let telemetry = builder().install().unwrap();
        // far more than a ring holds, from a thread that then stands still
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let (told, tell) = std::sync::mpsc::channel();
        let busy = std::thread::spawn(move || {
            for _ in 0..10_000 {
                execute();
            }
            told.send(()).unwrap();
            let _ = wait.recv();
        });
        tell.recv().unwrap();
        let scrape = telemetry.scrape();
        let line = "inference_stage_duration_seconds_count{model=\"none\",outcome=\"ok\",stage=\"execute\",version=\"none\"} 10000";
        assert!(scrape.contains(line), "{scrape}");
        drop(go);
        busy.join().unwrap();
        stop(&telemetry);
    }
}
