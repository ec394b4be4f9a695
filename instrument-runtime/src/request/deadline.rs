//! Until when an answer is worth anything. Measured by the timer of the server, which drives the waiting.

use crate::notice;
use crate::vocab::duration;
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::Outcome;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::{Handle, Id};
use tokio::time::{Instant, Sleep, sleep_until};

/// A runtime without timers: asking it again would panic again.
static WITHOUT_TIMERS: Mutex<Option<Id>> = Mutex::new(None);

/// How a request ends whose time is over.
pub(crate) const LATE: Outcome = Outcome::Error(ErrorType::DeadlineExceeded);

/// What [`RequestLayer::timeout`](crate::RequestLayer::timeout) takes: a [`Duration`], or a text such as `"2s"`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no time limit",
    label = "expected a `Duration`, or a text such as `\"2s\"`"
)]
pub trait TimeLimit: sealed::Sealed {
    #[doc(hidden)]
    fn limit(self) -> Result<Duration, String>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for std::time::Duration {}
    impl Sealed for &str {}
}

impl TimeLimit for Duration {
    fn limit(self) -> Result<Duration, String> {
        duration::positive(self)
    }
}

impl TimeLimit for &str {
    fn limit(self) -> Result<Duration, String> {
        duration::parse(self)
    }
}

/// How long the client waits, as `grpc-timeout` says it: at most 8 digits and a unit.
pub(crate) fn grpc_timeout(value: &[u8]) -> Option<Duration> {
    let (unit, digits) = value.split_last()?;
    if digits.is_empty() || digits.len() > 8 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = digits
        .iter()
        .fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
    Some(match unit {
        b'H' => Duration::from_secs(number * 3_600),
        b'M' => Duration::from_secs(number * 60),
        b'S' => Duration::from_secs(number),
        b'm' => Duration::from_millis(number),
        b'u' => Duration::from_micros(number),
        b'n' => Duration::from_nanos(number),
        _ => return None,
    })
}

/// Until when a request has to be answered, if there is such a time.
#[derive(Debug, Default)]
pub(crate) struct Deadline {
    at: Option<Instant>,
    /// Boxed, so that it moves from the answer's head to its body; made only when there is something to wait for.
    timer: Option<Pin<Box<Sleep>>>,
}

impl Deadline {
    /// Counts from now. A limit beyond the end of time is none.
    pub(crate) fn within(limit: Option<Duration>) -> Deadline {
        Deadline {
            at: limit.and_then(|limit| Instant::now().checked_add(limit)),
            timer: None,
        }
    }

    #[inline]
    pub(crate) fn has_passed(&self) -> bool {
        self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// Waits for it.
    #[inline]
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match self.at {
            Some(at) => self.poll_timer(at, cx),
            None => Poll::Pending,
        }
    }

    fn poll_timer(&mut self, at: Instant, cx: &mut Context<'_>) -> Poll<()> {
        if self.timer.is_none() {
            self.timer = timer(at);
        }
        match &mut self.timer {
            // a runtime that shuts down takes its timers along
            Some(timer) => {
                catch_unwind(AssertUnwindSafe(|| timer.as_mut().poll(cx))).unwrap_or(Poll::Pending)
            }
            // looked at whenever something else wakes the request
            None => Poll::Pending,
        }
    }
}

/// A timer, where the server's runtime has one. Without a runtime, and without timers, tokio panics, and a request
/// must not fail for that.
fn timer(at: Instant) -> Option<Pin<Box<Sleep>>> {
    let runtime = Handle::try_current().ok()?.id();
    if *without_timers() == Some(runtime) {
        return None;
    }
    let made = catch_unwind(AssertUnwindSafe(|| Box::pin(sleep_until(at))));
    if made.is_err() && without_timers().replace(runtime) != Some(runtime) {
        notice::report(
            "a request has a deadline, and the runtime that serves it has no timers: build it with `enable_time`",
        );
    }
    made.ok()
}

fn without_timers() -> MutexGuard<'static, Option<Id>> {
    WITHOUT_TIMERS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// The error with which an answer's body ends when its time is over.
#[derive(Debug)]
pub(crate) struct DeadlinePassed;

impl fmt::Display for DeadlinePassed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the deadline of the request has passed")
    }
}

impl std::error::Error for DeadlinePassed {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_says_how_long_it_waits() {
        for (value, expected) in [
            ("1H", Some(Duration::from_secs(3_600))),
            ("2M", Some(Duration::from_secs(120))),
            ("3S", Some(Duration::from_secs(3))),
            ("250m", Some(Duration::from_millis(250))),
            ("99999999u", Some(Duration::from_micros(99_999_999))),
            ("0n", Some(Duration::ZERO)),
            ("100000000n", None),
            ("m", None),
            ("5", None),
            ("5s", None),
            ("-5S", None),
            ("", None),
        ] {
            assert_eq!(grpc_timeout(value.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn no_runtime_and_no_timers_are_no_panic() {
        let mut cx = Context::from_waker(std::task::Waker::noop());
        let mut deadline = Deadline::within(Some(Duration::from_nanos(1)));
        assert!(deadline.poll(&mut cx).is_pending());
        while !deadline.has_passed() {}
        assert!(!Deadline::within(Some(Duration::MAX)).has_passed());
    }
}
