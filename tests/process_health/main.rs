//! Health and the life cycle of an installed telemetry, as clusters and people see them: each story in a process of its own.
#![cfg(all(
    feature = "health",
    feature = "http",
    feature = "grpc",
    feature = "prometheus"
))]
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "nobody uses a test from outside"
)]
#![allow(
    clippy::unused_async,
    reason = "a check is async where its author says so"
)]

mod checks;
mod devices;
mod life;
mod probes;
mod stalls;
mod starts;

#[path = "../peers/peer.rs"]
mod peer;
#[path = "../peers/story.rs"]
#[macro_use]
mod story;

use instrument_inference::{Telemetry, TelemetryBuilder};
use peer::{Response, get};
use std::net::SocketAddr;
use std::time::Duration;

/// Serves health and metrics on free ports; no check that is linked into this program, and no model.
fn builder() -> TelemetryBuilder {
    Telemetry::builder("story")
        .health_addr("127.0.0.1:0")
        .metrics_addr("127.0.0.1:0")
        .linked_checks(false)
        .without_models()
}

fn install(builder: TelemetryBuilder) -> (Telemetry, SocketAddr) {
    let telemetry = builder.install().expect("it can be installed");
    let health = telemetry.health_addr().expect("it was asked for");
    (telemetry, health)
}

fn probe(health: SocketAddr, path: &str) -> Response {
    get(health, path).expect("a probe is answered")
}

fn stop(telemetry: &Telemetry) {
    telemetry
        .shutdown_blocking(story::PATIENCE)
        .expect("it stops");
}

fn runtime(workers: usize) -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .expect("a runtime")
}

/// Threads of this process whose name begins so.
fn threads(name: &str) -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .filter(|comm| comm.starts_with(name))
        .count()
}

/// The value of one line of a scrape.
fn value(telemetry: &Telemetry, series: &str) -> Option<f64> {
    let scrape = telemetry.scrape();
    let line = scrape
        .lines()
        .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '))?;
    line.parse().ok()
}

const SHORT: Duration = Duration::from_millis(200);

stories! {
    or life::tell, stalls::tell;
    checks: a_check_that_never_returns_costs_one_thread, an_async_check_that_blocks_is_hung_and_others_go_on,
        an_async_check_that_waits_for_ever_is_dropped, panics_everywhere_are_failures,
        async_checks_need_no_runtime_of_the_service, a_dropped_runtime_is_no_failure_of_its_checks,
        a_state_may_come_late, a_flood_of_states_stops_nothing, a_state_may_block_and_panic_when_it_is_dropped, a_refresh_waits_for_a_result, a_sync_check_knows_that_it_is_overdue,
        a_starved_runtime_makes_no_failures, sync_checks_are_outside_of_every_runtime;
    devices: a_fault_takes_the_service_out_of_rotation_until_it_is_over, a_service_may_do_without_the_check,
        an_error_of_the_device_that_sticks_takes_the_service_out_of_rotation,
        an_engine_is_asked_for_what_it_knows_and_for_nothing_else, an_engine_that_panics_or_hangs_is_its_own_trouble,
        faults_may_be_told_from_anywhere_and_hang_nobody;
    life: readiness_follows_the_models, a_service_that_holds_itself_back_is_not_ready,
        a_drain_is_told_at_once_and_ends_after_its_delay, servers_of_the_service_end_before_the_health_address,
        what_is_mounted_answers_the_same;
    probes: a_full_address_lets_the_newest_in, probes_run_no_check, probes_answer_with_every_worker_blocked, health_is_among_the_metrics;
    stalls: an_execution_that_blocks_the_runtime_is_seen, a_long_execution_with_signs_of_life_is_not_stalled,
        a_slow_reader_of_a_stream_is_no_stall, an_execution_that_feeds_a_slow_reader_is_no_stall,
        a_service_may_do_without_the_check_of_executions;
    starts: checks_are_linked_given_and_left_out, what_is_wrong_with_checks_is_named_at_once,
        taken_addresses_are_named_and_nothing_is_left_running, names_of_grpc_services_collide_at_the_start,
        the_three_addresses_are_the_defaults;
}
