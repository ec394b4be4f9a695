//! Watches one run of `rustc`: `cargo` starts the benchmark itself in its place.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, process};

/// Where a watched run leaves its time.
const LOG: &str = "INSTRUMENT_COMPILE_TIME";

/// `cargo`, with nothing of the caller's settings that would change what is compiled, and how.
pub(crate) fn cargo(log: &Path) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let changes = [
            "CARGO_PROFILE_",
            "CARGO_ENCODED_",
            "CARGO_BUILD_",
            "RUSTFLAGS",
            "RUSTC",
        ];
        if changes.iter().any(|start| text.starts_with(start)) {
            cargo.env_remove(&name);
        }
    }
    cargo
        .env("CARGO_INCREMENTAL", "0")
        .env(
            "RUSTC_WORKSPACE_WRAPPER",
            env::current_exe().expect("it runs"),
        )
        .env(LOG, log);
    cargo
}

/// The file for the time, where `cargo` has started this program as a wrapper of `rustc`.
pub(crate) fn asked_to_watch() -> Option<PathBuf> {
    env::var_os(LOG).map(PathBuf::from)
}

/// Runs what the arguments say, writes down its processor time, and ends as it ended.
pub(crate) fn watch(log: &Path) -> ! {
    let mut arguments = env::args_os().skip(1);
    let rustc = arguments.next().expect("cargo names the compiler");
    let status = Command::new(rustc).args(arguments).status();
    let status = status.expect("the compiler starts");
    fs::write(log, children().to_string()).expect("a writable folder");
    process::exit(status.code().unwrap_or(1));
}

/// Seconds of processor time, in user and kernel, of the children that have ended.
fn children() -> f64 {
    /// A tick, as the kernel shows it to programs on every machine of today.
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").expect("this is Linux");
    // the second field is a name in parentheses, and may hold anything
    let after = stat.rfind(')').expect("it has a name") + 2;
    // fields 16 and 17 of proc(5), where the first after the name is the third
    let ticks = stat[after..].split(' ').skip(13).take(2);
    let ticks = ticks.map(|field| field.parse::<f64>().expect("a number"));
    ticks.sum::<f64>() / TICKS_PER_SECOND
}

/// `rustc 1.95.0 (…)`
pub(crate) fn version() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let output = output.expect("the compiler is there");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
