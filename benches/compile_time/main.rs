//! What the attributes cost at compile time: 500 functions as they are, with ours, and with `tracing::instrument`, in one
//! run.
//!
//! `cargo bench --bench compile_time`, and `-- check` for one way of compiling alone; Linux only. What is measured is the processor time of `rustc`, not the time that passes: other work on
//! the machine counts for little. The latest figures are in `docs/performance.md`.
#![allow(missing_docs, reason = "nobody uses a benchmark from outside")]

mod crates;
mod rustc;

use crates::{FUNCTIONS, Folder, VARIANTS};
use std::env;

/// Rounds in which every crate is compiled once, in turn, so that the machine's moods hit all alike.
const ROUNDS: usize = 7;

/// What `cargo` is told, and what it is called in the table.
const WAYS: [(&str, &[&str]); 3] = [
    ("check", &["check"]),
    ("dev build", &["build"]),
    ("release build", &["build", "--release"]),
];

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    if let Some(log) = rustc::asked_to_watch() {
        rustc::watch(&log);
    }
    let folder = Folder::write();
    println!(
        "{}, {FUNCTIONS} functions, median of {ROUNDS} rounds",
        rustc::version()
    );
    let wanted: Vec<_> = env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    for (way, command) in WAYS {
        if !wanted.is_empty() && !wanted.iter().any(|word| way.contains(word.as_str())) {
            continue;
        }
        // the dependencies, and nothing is measured
        for variant in &VARIANTS {
            folder.compile(command, variant);
        }
        let mut times = vec![Vec::with_capacity(ROUNDS); VARIANTS.len()];
        for _ in 0..ROUNDS {
            for (variant, times) in VARIANTS.iter().zip(&mut times) {
                times.push(folder.compile(command, variant));
            }
        }
        table(way, &times.into_iter().map(median).collect::<Vec<_>>());
    }
}

fn table(way: &str, times: &[f64]) {
    let at = |name| {
        let found = VARIANTS.iter().position(|variant| variant.name == name);
        times[found.expect("there is one")]
    };
    let plain = at("plain");
    let bar = at("traced") - plain;
    println!(
        "\n{way:<28} {:>8} {:>12} {:>12}",
        "rustc", "a function", "/ tracing's"
    );
    for (variant, time) in VARIANTS.iter().zip(times) {
        let extra = time - plain;
        print!("{:<28} {time:>6.2} s", variant.title);
        if variant.name == "plain" {
            println!();
        } else {
            #[expect(clippy::cast_precision_loss, reason = "it is 500")]
            let each = extra * 1e6 / FUNCTIONS as f64;
            println!(" {each:>9.0} µs {:>12.2}", extra / bar);
        }
    }
}
