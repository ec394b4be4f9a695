//! What is said of the process, held against what other programs say of it. Each story in a process of its own.
#![cfg(all(
    feature = "prometheus",
    feature = "http",
    feature = "health",
    target_os = "linux"
))]
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "nobody uses a test from outside"
)]

#[path = "../peers/peer.rs"]
mod peer;
#[path = "../peers/story.rs"]
#[macro_use]
mod story;

mod process;
mod runtime;
mod who;

use instrument_inference::{Telemetry, TelemetryBuilder};
use std::process::Command;
use story::PATIENCE;

stories! {
    or who::tell;
    process: processor_time_is_that_of_ps, the_start_is_that_of_ps, memory_that_is_touched_is_seen,
        open_files_are_counted, threads_are_counted, what_is_written_to_a_disk_is_seen,
        what_goes_over_a_socket_is_seen, nothing_is_there_twice, without_a_file_to_read_with_nothing_is_0;
    runtime: a_runtime_that_is_blocked_is_late, without_a_runtime_nothing_is_late,
        a_runtime_that_has_ended_is_not_late;
}

fn builder() -> TelemetryBuilder {
    Telemetry::builder("story")
}

fn stop(telemetry: &Telemetry) {
    telemetry.shutdown_blocking(PATIENCE).expect("it stops");
}

/// The value of one line of a scrape; `None` where it is not there.
fn value(telemetry: &Telemetry, series: &str) -> Option<f64> {
    let scrape = telemetry.scrape();
    let line = scrape
        .lines()
        .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '))?;
    line.parse().ok()
}

/// The same, where it has to be.
#[track_caller]
fn shown(telemetry: &Telemetry, series: &str) -> f64 {
    let found = value(telemetry, series);
    found.unwrap_or_else(|| panic!("no {series} in\n{}", telemetry.scrape()))
}

/// What another program says, run by a shell. `PID` is this process.
#[track_caller]
fn outside(command: &str) -> f64 {
    let command = command.replace("PID", &std::process::id().to_string());
    let output = Command::new("sh").args(["-c", &command]).output();
    let output = output.expect("there is a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    let number = text.trim().parse();
    number.unwrap_or_else(|_| panic!("`{command}` said {output:?}"))
}
