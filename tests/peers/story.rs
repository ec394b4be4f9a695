//! Stories in processes of their own: what is global, and what a test does to its environment, ends with them.
//!
//! A test starts this very program again with the name of a story; that process runs it and says `story told`.

// Each test includes the whole file and uses its own part of it.
#![allow(dead_code, unreachable_pub)]

use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const STORY: &str = "TEST_STORY";

/// Ten times what any of the stories needs.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A test for each story, and the test that a started process runs: the stories are functions in the module `told` of their
/// file. `or` names functions for those that are told in another way.
#[allow(unused_macros)]
macro_rules! stories {
    (or $($tell:path),+; $($file:ident: $($story:ident),+ $(,)?;)*) => {
        $($(#[test]
        fn $story() {
            crate::story::tell(stringify!($story), &[]);
        })+)*

        /// Not a test of its own: what a started process runs.
        #[test]
        fn story() {
            let Some(wanted) = crate::story::wanted() else { return };
            match wanted.as_str() {
                $($(stringify!($story) => $file::told::$story(),)+)*
                other => assert!([$($tell),+].iter().any(|tell| tell(other)), "no story {other}"),
            }
            println!("story told");
        }
    };
}

/// Runs a story with these variables, and none of ours or of OpenTelemetry's beside them. What it said on
/// standard error.
pub fn tell(story: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.args(["--exact", "story", "--nocapture", "--test-threads=1"]);
    for (name, _) in std::env::vars() {
        let ours = name.starts_with("INSTRUMENT_") && !name.ends_with("PEERS");
        if ours || name.starts_with("OTEL_") {
            command.env_remove(name);
        }
    }
    command.env(STORY, story).envs(variables.iter().copied());
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let readers = [
        read(child.stdout.take().expect("it is piped")),
        read(child.stderr.take().expect("it is piped")),
    ];
    let deadline = Instant::now() + PATIENCE;
    while !readers.iter().all(thread::JoinHandle::is_finished) && Instant::now() < deadline {
        thread::park_timeout(Duration::from_millis(20));
    }
    let _ = child.kill();
    let status = child.wait().expect("the program ends");
    let [out, err] = readers.map(|reader| reader.join().expect("its output can be read"));
    assert!(
        status.success() && out.contains("story told"),
        "{story}: {status}\n{out}\n{err}"
    );
    err
}

fn read(mut from: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = Vec::new();
        let _ = from.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    })
}

/// Which story this process was started for.
pub fn wanted() -> Option<String> {
    std::env::var(STORY).ok()
}

/// Waits until it is so.
#[track_caller]
pub fn until(what: &str, mut is: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        thread::park_timeout(Duration::from_millis(5));
    }
}

/// What our telemetry has said of itself; not what it says of the service's health.
pub fn said(text: &str) -> Vec<&str> {
    let lines = text.lines();
    let said = lines.filter_map(|line| line.strip_prefix("instrument_inference: "));
    let of_health = |line: &&str| {
        let mut groups = ["liveness is ", "readiness is ", "startup is "].iter();
        groups.any(|group| line.starts_with(group))
    };
    said.filter(|line| !of_health(line)).collect()
}
