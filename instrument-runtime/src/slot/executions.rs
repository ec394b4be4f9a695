//! What runs on the device, and whether it gets on: written by recording, model by model and stage by stage, read by health.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long an execution may give no sign of life where its stage does not say. The prefill of a long prompt takes its
/// time, and so does a first run that compiles: slow to condemn.
const PATIENCE: Duration = Duration::from_secs(60);

/// Health looks four times a second. Where nobody looked for longer the process stood still, or had no processor left:
/// that is no time of an execution's own.
const GAP: Duration = Duration::from_secs(1);

/// A stage of a model that does not get on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stall {
    /// As labels have it.
    pub(crate) model: Arc<str>,
    pub(crate) version: Arc<str>,
    pub(crate) stage: &'static str,
    /// The service itself has said how long is too long.
    pub(crate) decisive: bool,
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stall {
            model,
            version,
            stage,
            ..
        } = self;
        write!(
            f,
            "`{stage}` of model {model}, version {version}, makes no progress"
        )
    }
}

/// What there is to see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) stalls: Vec<Stall>,
    /// Of some stage the service says how long is too long.
    pub(crate) decisive: bool,
}

/// The executions of a process. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Executions(Arc<All>);

#[derive(Debug, Default)]
struct All {
    models: Mutex<Vec<Arc<ModelExecutions>>>,
    foreseen: AtomicBool,
    decisive: AtomicBool,
}

/// The executions of one model.
#[derive(Debug)]
pub(crate) struct ModelExecutions {
    model: Arc<str>,
    version: Arc<str>,
    known: Mutex<Known>,
}

/// The executions of one stage of a model.
#[derive(Debug, Clone)]
pub(crate) struct StageExecutions {
    of: Arc<ModelExecutions>,
    place: usize,
}

#[derive(Debug, Default)]
struct Known {
    stages: Vec<Stage>,
    /// Executions of requests whose reader is waited for: they may wait for the same one.
    beside: i64,
    /// Up to when time has passed in here.
    at: Duration,
}

#[derive(Debug)]
struct Stage {
    name: &'static str,
    limit: Option<Duration>,
    /// Below 0 for a moment, where an end is drained before its beginning.
    open: i64,
    /// Of those, so many are streams whose reader has an item and has not asked for the next one.
    held: i64,
    /// How long it has run without a sign of life of the model.
    silent: Duration,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Executions {
    /// There will be some: that none runs yet says something. `decisive`: of one of them the service says how long is
    /// too long.
    pub(crate) fn foresee(&self, decisive: bool) {
        self.0.foreseen.store(true, Ordering::Release);
        self.0.decisive.fetch_or(decisive, Ordering::AcqRel);
    }

    /// Those of a model, by its labels.
    pub(crate) fn of(&self, model: &str, version: &str) -> Arc<ModelExecutions> {
        let mut models = lock(&self.0.models);
        let is = |one: &&Arc<ModelExecutions>| *one.model == *model && *one.version == *version;
        if let Some(known) = models.iter().find(is) {
            return Arc::clone(known);
        }
        let made = Arc::new(ModelExecutions {
            model: model.into(),
            version: version.into(),
            known: Mutex::default(),
        });
        models.push(Arc::clone(&made));
        made
    }

    /// What does not get on; `None` where there is nothing to be seen. To be asked several times a second: time counts
    /// only where somebody looks.
    pub(crate) fn look(&self, now: Duration) -> Option<Seen> {
        let models = lock(&self.0.models).clone();
        let mut seen = Seen {
            stalls: Vec::new(),
            decisive: self.0.decisive.load(Ordering::Acquire),
        };
        let mut any = self.0.foreseen.load(Ordering::Acquire);
        for model in models {
            let mut known = lock(&model.known);
            known.pass(now);
            any |= !known.stages.is_empty();
            seen.decisive |= known.stages.iter().any(|stage| stage.limit.is_some());
            if !known.runs() {
                continue;
            }
            let stalled = known.stages.iter().filter(|stage| stage.is_stalled());
            seen.stalls.extend(stalled.map(|stage| Stall {
                model: Arc::clone(&model.model),
                version: Arc::clone(&model.version),
                stage: stage.name,
                decisive: stage.limit.is_some(),
            }));
        }
        any.then_some(seen)
    }
}

impl ModelExecutions {
    /// Those of a stage. `limit`: how long without a sign of life is too long, where the service says so.
    pub(crate) fn stage(
        self: &Arc<Self>,
        name: &'static str,
        limit: Option<Duration>,
    ) -> StageExecutions {
        let mut known = lock(&self.known);
        let found = known.stages.iter().position(|stage| stage.name == name);
        let place = found.unwrap_or_else(|| {
            known.stages.push(Stage {
                name,
                limit: None,
                open: 0,
                held: 0,
                silent: Duration::ZERO,
            });
            known.stages.len() - 1
        });
        let stage = &mut known.stages[place];
        stage.limit = stage.limit.or(limit);
        StageExecutions {
            of: Arc::clone(self),
            place,
        }
    }

    /// A sign of life.
    pub(crate) fn get_on(&self, now: Duration) {
        lock(&self.known).get_on(now);
    }
}

impl StageExecutions {
    fn change(&self, now: Duration, change: impl FnOnce(&mut Known, usize)) {
        let mut known = lock(&self.of.known);
        known.pass(now);
        change(&mut known, self.place);
    }

    /// How long is too long, unless that was said before.
    pub(crate) fn stalls_after(&self, limit: Duration) {
        lock(&self.of.known).stages[self.place]
            .limit
            .get_or_insert(limit);
    }

    pub(crate) fn began(&self, now: Duration) {
        self.change(now, |known, place| {
            let stage = &mut known.stages[place];
            stage.open += 1;
            // nothing of it ran just now: the clock starts anew
            if stage.open - stage.held == 1 {
                stage.silent = Duration::ZERO;
            }
        });
    }

    /// It did not come to its end: it was dropped, or counts elsewhere.
    pub(crate) fn left(&self, now: Duration) {
        self.change(now, |known, place| known.stages[place].open -= 1);
    }

    pub(crate) fn ended(&self, now: Duration) {
        self.change(now, |known, place| {
            known.stages[place].open -= 1;
            known.get_on(now);
        });
    }

    /// A stream of it has given an item, and waits for its reader; with it so many other executions of its request.
    pub(crate) fn held(&self, now: Duration, beside: i64) {
        self.change(now, |known, place| {
            known.stages[place].held += 1;
            known.beside += beside;
        });
    }

    /// The reader asks for more.
    pub(crate) fn asked(&self, now: Duration, beside: i64) {
        self.change(now, |known, place| {
            known.stages[place].held -= 1;
            known.beside -= beside;
        });
    }
}

impl Known {
    /// Time goes by up to now, for what runs.
    fn pass(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.at).min(GAP);
        self.at = self.at.max(now);
        if passed.is_zero() || !self.runs() {
            return;
        }
        for stage in self.stages.iter_mut().filter(|stage| stage.runs() > 0) {
            stage.silent += passed;
        }
    }

    /// Something runs that waits for no reader.
    fn runs(&self) -> bool {
        let run: i64 = self.stages.iter().map(Stage::runs).sum();
        run > self.beside
    }

    fn get_on(&mut self, now: Duration) {
        self.at = self.at.max(now);
        for stage in &mut self.stages {
            stage.silent = Duration::ZERO;
        }
    }
}

impl Stage {
    fn runs(&self) -> i64 {
        (self.open - self.held).max(0)
    }

    fn is_stalled(&self) -> bool {
        self.runs() > 0 && self.silent > self.limit.unwrap_or(PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Time that somebody looks at; what is stalled in the end.
    struct Watch {
        executions: Executions,
        now: Duration,
    }

    impl Watch {
        fn new() -> Watch {
            Watch {
                executions: Executions::default(),
                now: secs(1_000),
            }
        }

        fn stage(&self, name: &'static str, limit: Option<u64>) -> StageExecutions {
            self.executions
                .of("digits", "1")
                .stage(name, limit.map(secs))
        }

        fn pass(&mut self, by: Duration) -> Vec<&'static str> {
            let end = self.now + by;
            let mut seen = self.executions.look(self.now);
            while self.now < end {
                self.now = end.min(self.now + Duration::from_millis(250));
                seen = self.executions.look(self.now);
            }
            let stalls = seen.unwrap_or_default().stalls;
            stalls.iter().map(|stall| stall.stage).collect()
        }
    }

    #[test]
    fn where_nothing_is_known_nothing_is_said() {
        let executions = Executions::default();
        assert_eq!(executions.look(secs(1)), None);
        executions.foresee(false);
        assert_eq!(executions.look(secs(1)), Some(Seen::default()));
    }

    #[test]
    fn only_what_runs_without_a_sign_of_life_is_stalled() {
        let mut watch = Watch::new();
        let stage = watch.stage("execute", None);
        assert!(watch.pass(secs(3_600)).is_empty(), "idle is healthy");
        stage.began(watch.now);
        assert!(watch.pass(secs(60)).is_empty(), "its own clock");
        assert_eq!(watch.pass(secs(1)), ["execute"]);
        watch.executions.of("digits", "1").get_on(watch.now);
        assert!(watch.pass(secs(60)).is_empty());
        assert_eq!(watch.pass(secs(1)), ["execute"]);
        stage.ended(watch.now);
        assert!(watch.pass(secs(3_600)).is_empty());
    }

    #[test]
    fn what_is_dropped_is_no_sign_of_life() {
        let mut watch = Watch::new();
        let stage = watch.stage("execute", Some(10));
        // one is always under way, and each is given up after four seconds
        stage.began(watch.now);
        for _ in 0..3 {
            assert!(watch.pass(secs(2)).is_empty());
            stage.began(watch.now);
            watch.pass(secs(2));
            stage.left(watch.now);
        }
        assert_eq!(watch.pass(secs(0)), ["execute"]);
    }

    #[test]
    fn another_model_is_no_sign_of_life() {
        let mut watch = Watch::new();
        watch.stage("execute", None).began(watch.now);
        let other = watch.executions.of("letters", "1").stage("execute", None);
        for _ in 0..70 {
            other.began(watch.now);
            watch.pass(secs(1));
            other.ended(watch.now);
        }
        let stalls = watch.executions.look(watch.now).unwrap().stalls;
        let models: Vec<_> = stalls.iter().map(|stall| &*stall.model).collect();
        assert_eq!(models, ["digits"]);
    }

    /// As `docs/health.md` says it.
    #[test]
    fn engines_of_one_model_give_signs_of_life_for_each_other() {
        let mut watch = Watch::new();
        let stage = watch.stage("execute", Some(10));
        stage.began(watch.now);
        for _ in 0..20 {
            stage.began(watch.now);
            assert!(watch.pass(secs(1)).is_empty());
            stage.ended(watch.now);
        }
        assert_eq!(watch.pass(secs(11)), ["execute"], "the other one is idle");
    }

    #[test]
    fn the_time_of_a_reader_is_left_out_and_not_forgotten() {
        let mut watch = Watch::new();
        let stage = watch.stage("decode", None);
        stage.began(watch.now);
        watch.pass(secs(50));
        stage.held(watch.now, 0);
        assert!(watch.pass(secs(600)).is_empty());
        stage.asked(watch.now, 0);
        assert!(watch.pass(secs(10)).is_empty());
        assert_eq!(watch.pass(secs(1)), ["decode"]);
    }

    #[test]
    fn a_slow_reader_hides_nobody_else() {
        let mut watch = Watch::new();
        let (decode, execute) = (watch.stage("decode", Some(1)), watch.stage("execute", None));
        decode.began(watch.now);
        decode.held(watch.now, 0);
        execute.began(watch.now);
        assert_eq!(watch.pass(secs(61)), ["execute"], "and is not to blame");
    }

    #[test]
    fn an_execution_that_feeds_a_slow_reader_waits_for_him_too() {
        let mut watch = Watch::new();
        let (decode, execute) = (watch.stage("decode", None), watch.stage("execute", None));
        execute.began(watch.now);
        decode.began(watch.now);
        decode.held(watch.now, 1);
        assert!(watch.pass(secs(600)).is_empty());
        // of another request
        execute.began(watch.now);
        assert_eq!(watch.pass(secs(61)), ["execute"]);
        execute.ended(watch.now);
        assert!(watch.pass(secs(600)).is_empty());
        decode.asked(watch.now, 1);
        assert_eq!(watch.pass(secs(61)), ["decode", "execute"]);
    }

    #[test]
    fn a_process_that_stood_still_is_not_blamed_for_it() {
        let mut watch = Watch::new();
        watch.stage("execute", None).began(watch.now);
        watch.pass(secs(10));
        watch.now += secs(3_600);
        assert!(watch.pass(secs(40)).is_empty());
        assert_eq!(watch.pass(secs(20)), ["execute"]);
    }

    #[test]
    fn an_end_that_is_drained_before_its_beginning_is_one() {
        let mut watch = Watch::new();
        let stage = watch.stage("execute", None);
        stage.ended(watch.now);
        stage.began(watch.now);
        assert!(watch.pass(secs(600)).is_empty());
        stage.began(watch.now);
        assert_eq!(watch.pass(secs(61)), ["execute"]);
    }
}
