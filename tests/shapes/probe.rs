//! What the shapes ask a test for: a rig of its own, and what ended since the last question.

use instrument_inference::testing::{EnteredRig, Rig};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

struct Running {
    /// Before the rig, so that it is left before the rig stops.
    _inside: EnteredRig,
    rig: Rig,
    seen: BTreeMap<String, u64>,
}

thread_local!(static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) });

/// Ends the rig of a test.
pub(crate) struct Ends;

impl Drop for Ends {
    fn drop(&mut self) {
        let running = RUNNING.with(|running| running.borrow_mut().take());
        drop(running);
    }
}

pub(crate) fn start() -> Ends {
    let rig = Rig::new();
    rig.model("m", "1");
    let running = Running {
        _inside: rig.enter(),
        rig,
        seen: BTreeMap::new(),
    };
    RUNNING.with(|slot| *slot.borrow_mut() = Some(running));
    Ends
}

/// Such as `execute:error=1 execute:ok=3 request:ok=1`.
pub(crate) fn counts() -> String {
    RUNNING.with(|running| {
        let mut running = running.borrow_mut();
        let running = running.as_mut().expect("a test starts with `start`");
        let now = ended(&running.rig.scrape());
        let new = now.iter().filter_map(|(what, count)| {
            let more = count - running.seen.get(what).copied().unwrap_or(0);
            (more > 0).then(|| format!("{}={}", what, more))
        });
        let shown = new.collect::<Vec<_>>().join(" ");
        running.seen = now;
        shown
    })
}

fn ended(scrape: &str) -> BTreeMap<String, u64> {
    let mut ended = BTreeMap::new();
    for line in scrape.lines() {
        let what = if line.starts_with("inference_stage_duration_seconds_count{") {
            label(line, "stage")
        } else if line.starts_with("inference_requests_total{") {
            "request"
        } else {
            continue;
        };
        let count: u64 = line
            .rsplit(' ')
            .next()
            .and_then(|count| count.parse().ok())
            .expect("a line ends with a count");
        let what = format!("{}:{}", what, label(line, "outcome"));
        *ended.entry(what).or_insert(0) += count;
    }
    ended
}

fn label<'a>(line: &'a str, key: &str) -> &'a str {
    let start = line.find(&format!("{}=\"", key));
    let value = start.map(|at| &line[at + key.len() + 2..]);
    value.and_then(|rest| rest.split('"').next()).unwrap_or("")
}

pub(crate) fn block<F: Future>(future: F) -> F::Output {
    let mut future = Box::pin(future);
    loop {
        if let Poll::Ready(value) = future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            return value;
        }
    }
}

/// Pending once.
pub(crate) async fn pause() {
    let mut first = true;
    std::future::poll_fn(move |_| {
        if std::mem::take(&mut first) {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    })
    .await;
}

pub(crate) fn send<T: Send>(value: T) -> T {
    value
}
