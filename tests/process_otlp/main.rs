//! Pushing by OTLP, and every hazard of the OpenTelemetry SDK that can be met: each story in a process of its own.
//!
//! | hazard | held by |
//! |---|---|
//! | a bound histogram that was never recorded exports absurd extremes | `histograms_go_out_without_extremes` |
//! | bound at the cardinality limit, a series is the overflow's for ever | `no_point_is_the_overflow_of_the_sdk` |
//! | a foreign provider binds to nothing | `instruments_of_the_services_own_can_be_bound`; ours come from the SDK's own provider |
//! | the feature turns the SDK's own metrics on | `nothing_goes_out_that_nobody_asked_for` |
//! | experimental features may change | `the_sdk_is_pinned` |
//! | a registry that nobody can reach; two exporters on one registry; names with a suffix twice | one registry for each runtime; the golden scrape |
//! | `le` twice in a sample, names that Prometheus refuses | `le_as_a_label_of_the_services_own_does_not_spoil_the_scrape`, `odd_resource_attributes…` of `process_install` |
//! | a dependency's feature changes the wire format or the HTTP client, or turns on the log | this package's dev-dependencies do; every test over HTTP, `a_collector_that_is_away_is_not_in_the_log` |
//! | two versions of tonic | `there_is_one_tonic` |
//! | certificates of the environment are not read | `tls.rs` |
//! | the endpoint in code is used as it is over HTTP | `the_standard_variables_are_honoured` |
//! | the environment is read though nobody said so | `the_environment_counts_only_where_it_was_asked_for` |
//! | retries; a bound on starting attempts alone | `a_busy_collector_is_asked_again_within_one_push`, `faults` |
//! | no reactor; flush and shutdown hang by flavour of the runtime | `every_runtime_flavour_can_push_flush_and_stop` |
//! | the runtime dropped before the shutdown | `the_last_push_needs_no_runtime_of_the_service` |
//! | a panic in a callback empties every later scrape, and ends the pushes | `a_callback_that_panics_leaves_out_itself_alone` |
//! | an instrument made in a callback waits for itself | `an_instrument_made_in_a_callback_records_nothing_and_hangs_nobody` |
//! | bind and record in a callback | `a_callback_may_bind_and_record` |
//! | creating an instrument waits for a collection | ours are made at the start; `a_stage_inside_a_callback_hangs_nobody` of `process_install` |
//! | the second shutdown is an error; a fixed limit of 5 s | `a_stop_is_as_short_as_it_was_asked_to_be`, `every_runtime_flavour…` |
//! | dropping the last handle of the provider shuts it down, a global one never does | the handle is kept: `what_is_installed_runs_on…` of `process_install` |
//! | a periodic reader that is attached to nothing leaks its thread | `an_installation_that_fails_leaves_no_thread` |
//! | nothing collected, nothing exported | there is always `inference.build.info`; `delta_counts_from_push_to_push` |
#![cfg(all(feature = "otlp", feature = "prometheus", feature = "http"))]
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "nobody uses a test from outside"
)]

mod callbacks;
mod collector;
mod environment;
mod faults;
mod flavours;
mod points;
mod process;
mod real_peers;
mod sdk;
#[path = "../peers/story.rs"]
#[macro_use]
mod story;
#[cfg(feature = "otlp-tls")]
mod tls;

#[path = "../peers/peer.rs"]
mod peer;

use instrument_inference::{Telemetry, TelemetryBuilder, inference_request, inference_stage};
use std::future::Future;

#[inference_stage("execute")]
fn execute() -> u8 {
    1
}

#[inference_request(ingress = "http")]
async fn predict() -> u8 {
    execute()
}

fn builder() -> TelemetryBuilder {
    Telemetry::builder("story").metrics_addr("127.0.0.1:0")
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}

/// The value of one line of a scrape.
fn value(scrape: &str, series: &str) -> Option<f64> {
    let line = scrape
        .lines()
        .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '))?;
    line.parse().ok()
}

fn failures(telemetry: &Telemetry) -> f64 {
    let series = "inference_export_failures_total{exporter=\"otlp\"}";
    value(&telemetry.scrape(), series).expect("it is there from the start")
}

/// Threads of this process that push.
fn pushers() -> usize {
    threads()
        .iter()
        .filter(|name| *name == "instrument-push")
        .count()
}

fn threads() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let names =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.map(|name| name.trim().to_owned()).collect()
}

#[cfg(feature = "otlp-tls")]
use tls::tell as tell_tls;

#[cfg(not(feature = "otlp-tls"))]
fn tell_tls(_: &str) -> bool {
    false
}

stories! {
    or environment::tell, faults::tell, flavours::tell, callbacks::tell, real_peers::tell, tell_tls;
    flavours: the_last_push_needs_no_runtime_of_the_service, a_push_shows_what_a_scrape_shows;
    faults: a_collector_that_comes_back_gets_everything, a_busy_collector_is_asked_again_within_one_push,
        a_push_under_way_makes_room_for_the_last_one, a_stop_is_as_short_as_it_was_asked_to_be,
        flushes_that_nobody_waits_for_do_not_pile_up,
        many_flushes_of_a_silent_collector_are_one_push;
    callbacks: a_callback_may_bind_and_record, a_callback_may_run_a_runtime_of_its_own,
        instruments_of_the_services_own_can_be_bound, every_kind_of_instrument_goes_out;
    sdk: histograms_go_out_without_extremes, no_point_is_the_overflow_of_the_sdk,
        nothing_goes_out_that_nobody_asked_for, le_as_a_label_of_the_services_own_does_not_spoil_the_scrape;
    process: the_process_goes_out_under_the_names_of_opentelemetry;
    environment: nothing_is_pushed_where_nobody_asks, an_installation_that_fails_leaves_no_thread;
}
