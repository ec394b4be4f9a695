//! Tells people of transitions: one line on standard error, and on going unready one in the termination log, since a
//! kubelet drops the body of an answer. On a thread of its own: a log may block.

use crate::health::clock::HealthClock;
use crate::health::news::{Herald, News};
use crate::vocab::group::Group;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::Builder;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where a kubelet looks for a last word, when the container says nothing else.
pub(crate) const TERMINATION_LOG: &str = "/dev/termination-log";

/// Transitions that wait to be told; what comes on top shows in the metrics only.
const MOST: usize = 64;

/// Lines in [`WINDOW`]: a service that flaps says so in its metrics, not in a flood.
const MOST_LINES: u32 = 20;
const WINDOW: Duration = Duration::from_secs(60);

/// A thread that tells, until the last sender is gone.
///
/// # Errors
/// When the system has no thread left.
pub(crate) fn start(termination_log: PathBuf, clock: HealthClock) -> std::io::Result<Herald> {
    let (tell, told): (SyncSender<News>, _) = sync_channel(MOST);
    Builder::new()
        .name("instrument-herald".to_owned())
        .spawn(move || {
            let mut lines = Lines::default();
            for news in told {
                let now = clock.now();
                let line = line(&news, now);
                if lines.may_tell(now) {
                    // not `eprintln!`: it panics when standard error is closed
                    // in one piece: others write there too
                    let line = format!("instrument_inference: {line}\n");
                    let _ = std::io::stderr().write_all(line.as_bytes());
                }
                let unready =
                    matches!(news, News::Group(Group::Readiness, to) if !to.status.serves());
                if unready {
                    // not created: it is there where somebody wants it
                    let file = OpenOptions::new()
                        .write(true)
                        .truncate(true)
                        .open(&termination_log);
                    let _ = file.and_then(|mut file| writeln!(file, "{line}"));
                }
            }
        })?;
    Ok(Box::new(move |news| {
        // full: what comes on top shows in the metrics
        let _ = tell.try_send(news);
    }))
}

#[derive(Debug, Default)]
struct Lines {
    since: Duration,
    told: u32,
}

impl Lines {
    fn may_tell(&mut self, now: Duration) -> bool {
        if now.saturating_sub(self.since) > WINDOW {
            *self = Lines {
                since: now,
                told: 0,
            };
        }
        self.told += 1;
        self.told <= MOST_LINES
    }
}

/// The most of an error's text that is worth a line.
const LONGEST_ERROR: usize = 512;

/// `readiness is unhealthy: reason=cuda_oom check=canary since=1796040000`
fn line(news: &News, now: Duration) -> String {
    match news {
        News::Group(group, to) => {
            let (group, status) = (group.as_str(), to.status.as_str());
            let Some(reason) = to.reason else {
                return format!("{group} is {status}");
            };
            let check = to.check.unwrap_or("lifecycle");
            let since = unix(now.saturating_sub(to.since));
            format!("{group} is {status}: reason={reason} check={check} since={since}")
        }
        News::Waits { name, wanted } => format!(
            "check {name} waits for a state of type `{wanted}`: give it one of exactly this type with `provide`"
        ),
        News::Check {
            name,
            verdict,
            reason,
            error,
        } => {
            let reason = reason.map(|reason| format!(": reason={reason}"));
            let error = error
                .as_ref()
                .map(|error| format!(" error={:?}", shortened(error)));
            format!(
                "check {name} is {}{}{}",
                verdict.as_str(),
                reason.unwrap_or_default(),
                error.unwrap_or_default()
            )
        }
    }
}

fn shortened(text: &str) -> &str {
    let end = (0..=LONGEST_ERROR.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Unix seconds of that long ago: only shown, so the wall clock may do what it likes.
fn unix(ago: Duration) -> u64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    now.saturating_sub(ago).as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::report::Verdict;
    use crate::vocab::reason::Reason;

    #[test]
    fn an_error_stays_on_one_line_and_short() {
        let error = format!("no route\nto host {}", "é".repeat(1_000));
        let news = News::Check {
            name: "redis",
            verdict: Verdict::Down,
            reason: Some(Reason::DEPENDENCY_UNAVAILABLE),
            error: Some(error),
        };
        let line = line(&news, Duration::ZERO);
        let start = "check redis is down: reason=dependency_unavailable error=\"no route\\nto host";
        assert!(line.starts_with(start) && line.len() < 1_200, "{line}");
        assert_eq!(line.lines().count(), 1);
    }

    #[test]
    fn flapping_is_no_flood() {
        let mut lines = Lines::default();
        let told = (0..1_000).filter(|_| lines.may_tell(Duration::from_secs(1)));
        assert_eq!(told.count(), 20);
        assert!(lines.may_tell(Duration::from_secs(62)));
    }
}
