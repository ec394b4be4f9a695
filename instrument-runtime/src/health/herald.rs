//! Tells people of transitions: one line on standard error, and on going unready one in the termination log, since a
//! kubelet drops the body of an answer. On a thread of its own: a log may block.

use crate::health::clock::HealthClock;
use crate::health::news::{Herald, News};
use crate::health::report::Roll;
use crate::notice;
use crate::vocab::group::Group;
use crate::vocab::reason::Reason;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::Builder;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where a kubelet looks for a last word, when the container says nothing else.
pub(crate) const TERMINATION_LOG: &str = "/dev/termination-log";

/// Transitions that wait to be told; what comes on top shows in the metrics only.
const MOST: usize = 64;

/// Lines in [`WINDOW`]: a service that flaps says so in its metrics, not in a flood.
const MOST_LINES: u32 = 20;
const WINDOW: Duration = Duration::from_secs(60);

/// What the herald is told.
enum Told {
    News(News),
    /// Whoever waits until all before it is told.
    Settle(SyncSender<()>),
}

/// Tells people, once somebody may want to know. Cheap to clone.
#[derive(Clone)]
pub(crate) struct HeraldThread(Arc<Inner>);

struct Inner {
    clock: HealthClock,
    termination_log: PathBuf,
    audible: AtomicBool,
    /// Started with the first news; `None` where the system has no thread left for it.
    tell: OnceLock<Option<SyncSender<Told>>>,
}

impl HeraldThread {
    /// Silent, until somebody [listens](HeraldThread::listen).
    pub(crate) fn new(termination_log: PathBuf, clock: HealthClock) -> HeraldThread {
        HeraldThread(Arc::new(Inner {
            clock,
            termination_log,
            audible: AtomicBool::new(false),
            tell: OnceLock::new(),
        }))
    }

    /// Somebody can ask how the service is, so others may want to know too.
    pub(crate) fn listen(&self) {
        self.0.audible.store(true, Ordering::Release);
    }

    /// As the board calls it.
    pub(crate) fn herald(&self) -> Herald {
        let inner = Arc::clone(&self.0);
        Box::new(move |news| {
            if inner.audible.load(Ordering::Acquire)
                && let Some(tell) = inner.tell.get_or_init(|| inner.start()).as_ref()
            {
                // full: what comes on top shows in the metrics
                let _ = tell.try_send(Told::News(news));
            }
        })
    }

    /// Waits until what was told is written: before an end of the process, which would cut it off.
    pub(crate) fn settle(&self, limit: Duration) {
        let (written, is_written) = sync_channel(1);
        if let Some(Some(tell)) = self.0.tell.get()
            && tell.try_send(Told::Settle(written)).is_ok()
        {
            let _ = is_written.recv_timeout(limit);
        }
    }
}

impl Inner {
    fn start(&self) -> Option<SyncSender<Told>> {
        let (tell, told) = sync_channel(MOST);
        let (clock, log) = (self.clock.clone(), self.termination_log.clone());
        let body = move || {
            let mut lines = Lines::default();
            let mut last_word = LastWord::default();
            for told in told {
                match told {
                    Told::News(news) => {
                        let now = clock.now();
                        let line = line(&news, now);
                        if lines.may_tell(now) {
                            notice::write(&format!("instrument_inference: {line}\n"));
                        }
                        if let News::Group(Group::Readiness, to) = news {
                            last_word.write(&log, &to, line);
                        }
                    }
                    Told::Settle(written) => drop(written.try_send(())),
                }
            }
        };
        let thread = Builder::new().name("instrument-herald".to_owned());
        thread.spawn(body).ok().map(|_| tell)
    }
}

/// What the termination log says: why the service left the rotation, and that it drains, where it does.
#[derive(Debug, Default)]
struct LastWord {
    /// What was wrong when the end began.
    trouble: Option<String>,
}

impl LastWord {
    fn write(&mut self, log: &Path, to: &Roll, line: String) {
        if to.status.serves() {
            self.trouble = None;
            return;
        }
        let text = if to.reason == Some(Reason::DRAINING) {
            let trouble = self.trouble.take().map(|line| line + "\n");
            trouble.unwrap_or_default() + &line + "\n"
        } else {
            let text = format!("{line}\n");
            self.trouble = Some(line);
            text
        };
        // it is there where somebody wants it; of what is no file the opening alone may block
        if std::fs::metadata(log).is_ok_and(|found| found.is_file()) {
            let file = OpenOptions::new().write(true).truncate(true).open(log);
            let _ = file.and_then(|mut file| file.write_all(text.as_bytes()));
        }
    }
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
    use crate::vocab::group::HealthStatus;

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
    fn the_end_does_not_hide_what_was_wrong_before_it() {
        let log = std::env::temp_dir().join(format!("last-word-{}", std::process::id()));
        std::fs::write(&log, "").unwrap();
        let roll = |status, reason| Roll {
            status,
            reason,
            check: None,
            since: Duration::ZERO,
        };
        let unready = |reason| roll(HealthStatus::Unhealthy, Some(reason));
        let mut last_word = LastWord::default();
        last_word.write(&log, &unready(Reason::CUDA_OOM), "cuda_oom".to_owned());
        last_word.write(&log, &unready(Reason::DRAINING), "draining".to_owned());
        assert_eq!(
            std::fs::read_to_string(&log).unwrap(),
            "cuda_oom\ndraining\n"
        );
        // what was mended before the end is not its reason
        last_word.write(&log, &unready(Reason::TIMEOUT), "timeout".to_owned());
        last_word.write(&log, &roll(HealthStatus::Healthy, None), String::new());
        last_word.write(&log, &unready(Reason::DRAINING), "draining".to_owned());
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "draining\n");
        std::fs::remove_file(&log).unwrap();
    }

    #[test]
    fn flapping_is_no_flood() {
        let mut lines = Lines::default();
        let told = (0..1_000).filter(|_| lines.may_tell(Duration::from_secs(1)));
        assert_eq!(told.count(), 20);
        assert!(lines.may_tell(Duration::from_secs(62)));
    }
}
