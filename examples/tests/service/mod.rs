//! The quickstart as a process: built from the sources as they are, started on free ports, stopped by signals.

// Each test includes the whole file and uses its own part of it.
#![allow(dead_code, unreachable_pub)]

use crate::peer::{self, Scratch};
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// How long a start or an end may take: far more than either needs, so that only a hang exceeds it.
const PATIENCE: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(10);

/// Ports that nobody else has.
pub const FREE: [&str; 8] = [
    "--http",
    "127.0.0.1:0",
    "--health",
    "127.0.0.1:0",
    "--metrics",
    "127.0.0.1:0",
    "--control",
    "127.0.0.1:0",
];

/// What says how long requests are answered after SIGTERM.
pub const DRAIN_DELAY: &str = "INSTRUMENT_DRAIN_DELAY";

/// The built program.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "build",
            "--example",
            "quickstart",
            "-p",
            "instrument-examples",
        ]);
        cargo.arg("--message-format=json-render-diagnostics");
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        let built = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output();
        let built = built.expect("cargo runs, since it runs this test");
        let stderr = String::from_utf8_lossy(&built.stderr);
        assert!(
            built.status.success(),
            "the quickstart does not build:\n{stderr}"
        );
        let messages = String::from_utf8(built.stdout).expect("cargo writes UTF-8");
        let mut programs = messages.lines().filter_map(|line| {
            let message: serde_json::Value = serde_json::from_str(line).ok()?;
            let example = message["target"]["name"] == "quickstart";
            message["executable"]
                .as_str()
                .filter(|_| example)
                .map(PathBuf::from)
        });
        programs.next().expect("cargo names what it has built")
    })
}

/// A running or ended quickstart, killed when dropped.
#[derive(Debug)]
pub struct Service {
    child: Child,
    scratch: Scratch,
}

/// How it ended and what it had printed.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// What it printed on standard error beside the news of its life, which are there in every run.
    pub fn complaints(&self) -> Vec<&str> {
        let news =
            ["readiness", "startup"].map(|group| format!("instrument_inference: {group} is "));
        let is_news = |line: &&str| news.iter().any(|news| line.starts_with(news));
        self.stderr.lines().filter(|line| !is_news(line)).collect()
    }
}

/// Where it serves.
#[derive(Debug, Clone, Copy)]
pub struct Ready {
    pub http: SocketAddr,
    pub health: SocketAddr,
    /// None where nothing is recorded.
    pub metrics: Option<SocketAddr>,
    pub control: SocketAddr,
}

impl Service {
    /// Starts it with these arguments and variables, and none of ours from the environment of the test. SIGTERM ends it
    /// without a delay, where the variables do not say otherwise.
    pub fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Service {
        let scratch = Scratch::new("quickstart");
        let open =
            |name| File::create(scratch.path().join(name)).expect("a new folder takes files");
        let mut command = Command::new(program());
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("INSTRUMENT_") || name.starts_with("OTEL_") {
                command.env_remove(&*name);
            }
        }
        let child = command
            .args(arguments)
            .env(DRAIN_DELAY, "0s")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(open("stdout"))
            .stderr(open("stderr"))
            .spawn()
            .expect("a program that was built starts");
        Service { child, scratch }
    }

    /// Waits for the line that says where it serves.
    pub fn ready(&mut self) -> Ready {
        let end = Instant::now() + PATIENCE;
        loop {
            let stdout = self.printed("stdout");
            if let Some((line, _)) = stdout.split_once('\n') {
                return ready(line).unwrap_or_else(|| panic!("not a ready line: {line}"));
            }
            let ended = self.child.try_wait().expect("a child can be waited for");
            assert!(
                ended.is_none() && Instant::now() < end,
                "not ready, and ended: {ended:?}\n{stdout}{}",
                self.printed("stderr")
            );
            thread::sleep(PAUSE);
        }
    }

    /// Sends it a signal.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(
            sent.is_ok_and(|status| status.success()),
            "kill -s {name} {pid}"
        );
    }

    /// Whether it has not ended.
    pub fn runs(&mut self) -> bool {
        let ended = self.child.try_wait();
        ended.expect("a child can be waited for").is_none()
    }

    /// Waits for its end.
    pub fn ended(mut self) -> Ended {
        let end = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                break status;
            }
            assert!(
                Instant::now() < end,
                "it has not ended:\n{}{}",
                self.printed("stdout"),
                self.printed("stderr")
            );
            thread::sleep(PAUSE);
        };
        Ended {
            status,
            stdout: self.printed("stdout"),
            stderr: self.printed("stderr"),
        }
    }

    fn printed(&self, name: &str) -> String {
        std::fs::read_to_string(self.scratch.path().join(name)).expect("it prints UTF-8")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads `ready http=… health=… metrics=… control=…`, and nothing else.
fn ready(line: &str) -> Option<Ready> {
    let (http, rest) = line.strip_prefix("ready http=")?.split_once(" health=")?;
    let (health, rest) = rest.split_once(" metrics=")?;
    let (metrics, control) = rest.split_once(" control=")?;
    let metrics = match metrics {
        "off" => None,
        addr => Some(addr.parse().ok()?),
    };
    Some(Ready {
        http: http.parse().ok()?,
        health: health.parse().ok()?,
        metrics,
        control: control.parse().ok()?,
    })
}

/// The sum of a family's lines that have all of these labels, as the scrape says it now.
pub fn scraped(metrics: SocketAddr, family: &str, labels: &[&str]) -> f64 {
    let scrape = peer::get(metrics, "/metrics").expect("a scrape is answered");
    assert_eq!(scrape.status, 200, "{}", scrape.body);
    let lines = scrape.body.lines().filter_map(|line| {
        let (series, value) = line.strip_prefix(family)?.rsplit_once(' ')?;
        let all = series.starts_with('{') && labels.iter().all(|label| series.contains(label));
        all.then(|| value.parse::<f64>().expect("a value is a number"))
    });
    lines.sum()
}

/// Tries until `done`.
pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < end, "not within {PATIENCE:?}: {what}");
        thread::sleep(PAUSE);
    }
}
