//! Pushes what was recorded, from a thread and an async runtime of its own: nobody else's has to run, or to be there.
//!
//! The SDK's own periodic reader drives the exporter by a thread that no runtime knows, bounds neither collecting nor
//! flushing, and a shutdown by five seconds of its own. Here every wait has a bound, and a new one cuts a longer one.

use crate::export::otlp::Exporter;
use crate::export::otlp_env::Pushing;
use crate::export::push_report::Report;
use crate::record::exports::Pushes;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::data::ResourceMetrics;
use opentelemetry_sdk::metrics::reader::MetricReader;
use opentelemetry_sdk::metrics::{InstrumentKind, ManualReader, Pipeline, Temporality};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Weak, mpsc};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until, timeout_at};
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;

/// How the SDK sees us.
#[derive(Debug, Clone)]
pub(crate) struct Reader(Arc<ManualReader>);

impl MetricReader for Reader {
    fn register_pipeline(&self, pipeline: Weak<Pipeline>) {
        self.0.register_pipeline(pipeline);
    }

    fn collect(&self, metrics: &mut ResourceMetrics) -> OTelSdkResult {
        self.0.collect(metrics)
    }

    /// Flushing and stopping go past the SDK, which would wait without a bound, or with one of its own.
    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, limit: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(limit)
    }

    fn temporality(&self, kind: InstrumentKind) -> Temporality {
        self.0.temporality(kind)
    }
}

/// As good as for ever, and sums of it fit.
const LONGEST: Duration = Duration::from_secs(86_400);

/// What became of a push.
type Pushed = Result<(), String>;

#[derive(Debug)]
struct Command {
    /// It is the last one.
    stop: bool,
    /// Nobody waits longer.
    until: Instant,
    done: mpsc::Sender<Pushed>,
}

/// Pushes until it is stopped, or dropped.
#[derive(Debug)]
pub(crate) struct Push {
    commands: UnboundedSender<Command>,
    pushes: Arc<Pushes>,
}

impl Push {
    /// Starts pushing what the reader reads, once it has been given to a provider.
    ///
    /// # Errors
    /// When a certificate cannot be used, or the system has no thread or file handle left.
    pub(crate) fn start(pushing: Pushing) -> Result<(Push, Reader), String> {
        let manual = ManualReader::builder().with_temporality(pushing.temporality);
        let reader = Reader(Arc::new(manual.build()));
        let pushes = Arc::new(Pushes::new("otlp"));
        let (commands, received) = unbounded_channel();
        let (ready, started) = mpsc::channel();
        let (read, counted) = (reader.clone(), Arc::clone(&pushes));
        let run = move || run(pushing, read, counted, received, &ready);
        let thread = std::thread::Builder::new()
            .name("instrument-push".to_owned())
            .spawn(run)
            .map_err(|error| error.to_string())?;
        if let Err(reason) = started.recv().map_err(|error| error.to_string())? {
            // nothing is left running
            let _ = thread.join();
            return Err(reason);
        }
        Ok((Push { commands, pushes }, reader))
    }

    pub(crate) fn pushes(&self) -> &Arc<Pushes> {
        &self.pushes
    }

    /// Pushes now, and blocks until that has arrived, for `limit` at most.
    ///
    /// # Errors
    /// When it has not.
    pub(crate) fn flush(&self, limit: Duration) -> Pushed {
        self.ask(limit, false)
    }

    /// Pushes a last time, and blocks until that has arrived, for `limit` at most. Nothing is pushed afterwards.
    ///
    /// # Errors
    /// When it has not.
    pub(crate) fn stop(&self, limit: Duration) -> Pushed {
        self.ask(limit, true)
    }

    fn ask(&self, limit: Duration, stop: bool) -> Pushed {
        let (done, answer) = mpsc::channel();
        let limit = limit.min(LONGEST);
        // the rest is for the answer to come back, and for the caller's own bound to be the longer one
        let until = Instant::now() + limit * 9 / 10;
        if self.commands.send(Command { stop, until, done }).is_err() {
            // it was stopped before
            return Ok(());
        }
        match answer.recv_timeout(limit * 19 / 20) {
            Ok(pushed) => pushed,
            Err(mpsc::RecvTimeoutError::Disconnected) => Err("pushing has ended".to_owned()),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                Err(format!("nothing has arrived within {limit:?}"))
            }
        }
    }
}

fn run(
    pushing: Pushing,
    reader: Reader,
    pushes: Arc<Pushes>,
    commands: UnboundedReceiver<Command>,
    ready: &mpsc::Sender<Pushed>,
) {
    let made = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        // resolving a name
        .max_blocking_threads(1)
        .build();
    let runtime = match made {
        Ok(runtime) => runtime,
        Err(error) => return drop(ready.send(Err(error.to_string()))),
    };
    // what it starts belongs to the runtime
    let made = runtime.block_on(async { Exporter::new(&pushing) });
    let _ = ready.send(made.as_ref().map(|_| ()).map_err(String::clone));
    if let Ok(exporter) = made {
        let thread = Pusher {
            report: Report::new(&pushing, pushes),
            pushing,
            reader,
            exporter: Some(exporter),
            metrics: ResourceMetrics::default(),
            commands,
            waiting: Vec::new(),
        };
        thread.serve(&runtime);
    }
    // a name that is being resolved is not waited for
    runtime.shutdown_background();
}

struct Pusher {
    pushing: Pushing,
    reader: Reader,
    /// None after a failure: the next one starts with new connections, names resolved and certificates read again.
    exporter: Option<Exporter>,
    metrics: ResourceMetrics,
    report: Report,
    commands: UnboundedReceiver<Command>,
    /// Came while a push was under way.
    waiting: Vec<Command>,
}

impl Pusher {
    /// Waits and exports within the runtime. Collects outside of it: what a callback of the service's does must not depend
    /// on who collects.
    fn serve(mut self, runtime: &Runtime) {
        let mut next = Instant::now() + self.pushing.interval;
        loop {
            if self.waiting.is_empty() {
                let wait = async { timeout_at(next, self.commands.recv()).await };
                match runtime.block_on(wait) {
                    Ok(Some(command)) => self.waiting.push(command),
                    Ok(None) => return,
                    Err(_) => {}
                }
            }
            while let Ok(command) = self.commands.try_recv() {
                self.waiting.push(command);
            }
            let now = Instant::now();
            let mut asked = std::mem::take(&mut self.waiting);
            // whoever has given up needs no push of its own, but must not take silence for success
            asked.retain(|command| {
                let waits = command.stop || command.until > now;
                if !waits {
                    let _ = command
                        .done
                        .send(Err("it came too late for a push".to_owned()));
                }
                waits
            });
            if asked.is_empty() && now < next {
                continue;
            }
            let until = asked.iter().filter(|command| command.stop);
            let until = until.map(|command| command.until).min();
            let pushed = self.push(runtime, until);
            let stops = asked.iter().any(|command| command.stop);
            if stops {
                // the last push had it all: it is the answer for everybody
                self.commands.close();
                while let Ok(command) = self.commands.try_recv() {
                    self.waiting.push(command);
                }
                asked.append(&mut self.waiting);
            }
            for command in asked {
                let _ = command.done.send(pushed.clone());
            }
            if stops {
                return;
            }
            let now = Instant::now();
            if next <= now {
                next = (next + self.pushing.interval).max(now);
            }
        }
    }

    fn push(&mut self, runtime: &Runtime, until: Option<Instant>) -> Pushed {
        let read = catch_unwind(AssertUnwindSafe(|| self.reader.collect(&mut self.metrics)));
        let pushed = match read {
            Ok(Ok(())) if self.metrics.scope_metrics().next().is_none() => return Ok(()),
            Ok(Ok(())) => runtime.block_on(self.export(until)),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("a panic while collecting".to_owned()),
        };
        if pushed.is_err() {
            self.exporter = None;
        }
        self.report.became(&pushed);
        pushed
    }

    async fn export(&mut self, until: Option<Instant>) -> Pushed {
        let limit = Instant::now() + self.pushing.timeout;
        let mut limit = until.map_or(limit, |until| until.min(limit));
        let begun = Instant::now();
        let exporter = match self.exporter.take() {
            Some(exporter) => exporter,
            None => Exporter::new(&self.pushing)?,
        };
        let exporter = self.exporter.insert(exporter);
        // what the SDK and the transports log of a collector that is away is for us to say, and once
        let export = exporter.export(&self.metrics);
        let mut export = pin!(export.with_subscriber(NoSubscriber::default()));
        loop {
            tokio::select! {
                done = &mut export => return done,
                () = sleep_until(limit) => {
                    let waited = begun.elapsed();
                    return Err(format!("no answer within {waited:.1?}"));
                }
                Some(command) = self.commands.recv() => {
                    if command.stop {
                        // the last push carries it all: half of the time is for this one, and half for that
                        limit = limit.min(Instant::now() + (command.until - Instant::now()) / 2);
                    }
                    self.waiting.push(command);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::otlp_env::{Certificates, Protocol};
    use http::HeaderMap;

    #[test]
    fn whoever_has_given_up_does_not_hear_that_all_is_well() {
        let pushing = Pushing {
            protocol: Protocol::Http,
            endpoint: "http://127.0.0.1:1/v1/metrics".to_owned(),
            headers: HeaderMap::new(),
            gzip: false,
            timeout: LONGEST,
            interval: LONGEST,
            temporality: Temporality::Cumulative,
            certificates: Certificates::default(),
        };
        let (push, _reader) = Push::start(pushing).expect("a thread");
        let (done, answer) = mpsc::channel();
        let late = Command {
            stop: false,
            until: Instant::now(),
            done,
        };
        push.commands.send(late).expect("it listens");
        let answer = answer.recv().expect("an answer");
        assert!(answer.is_err());
    }
}
