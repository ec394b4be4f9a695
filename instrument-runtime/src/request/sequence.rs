//! Generation by an engine that works for many requests in each of its steps: what it says of one of them.

use crate::request::context::RequestContext;
use crate::request::token_meter::TokenMeter;
use crate::vocab::finish_reason::FinishReason;
use std::fmt;

/// What an engine with continuous batching generates for a request. Such an engine has no function for each request that
/// could be annotated; it marks what happens instead, on whatever thread it runs.
///
/// ```
/// # use instrument_runtime as instrument_inference;
/// use instrument_inference::{FinishReason, RequestContext, Sequence};
/// use std::sync::mpsc;
///
/// struct Job { prompt: String, sequence: Sequence, words: mpsc::Sender<String> }
///
/// // in the handler
/// # let (jobs, queue) = mpsc::channel();
/// # let prompt = "one two".to_owned();
/// let (words, answer) = mpsc::channel();
/// let sequence = Sequence::begin(RequestContext::current());
/// jobs.send(Job { prompt, sequence, words })?;
///
/// // on the engine's thread
/// # drop(jobs);
/// let mut running: Vec<Job> = Vec::new();
/// # let mut step = |job: &mut Job| job.prompt.pop().map(String::from);
/// loop {
///     for mut job in queue.try_iter() {
///         job.sequence.scheduled();
///         running.push(job);
///     }
///     running.retain_mut(|job| {
///         if job.sequence.is_cancelled() {
///             return false; // dropped: nobody will read it
///         }
///         match step(job) {
///             Some(word) => {
///                 job.sequence.tokens(1);
///                 job.words.send(word).is_ok()
///             }
///             None => {
///                 job.sequence.finish(FinishReason::Stop);
///                 false
///             }
///         }
///     });
/// #   if running.is_empty() { break }
/// }
/// # assert_eq!(answer.iter().collect::<String>(), "owt eno");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Measured is what [`measure_tokens`](crate::MeasureTokens::measure_tokens) measures of a stream: the stages `queue`, from
/// [`begin`](Sequence::begin) until it is scheduled, `prefill`, until the first token, and `decode`, from there to the last
/// token or to the error; the time to the first token, once a request; the time from token to token, where n tokens that
/// come together have n times the n-th part of it; and the tokens. An answer that came at once has no `decode`. Time in
/// which an engine has put it aside is in all of these: whoever waits for it waits. How many wait now, and how many run, is
/// `inference_stage_in_flight`.
///
/// From its beginning on it keeps its request open: a handler without a layer that returns well leaves the request to its
/// streams and sequences, and the last one ends it; inside a layer, the body of the answer ends it. A request that has ended
/// takes in nothing more, so mark what happens before handing out what comes of it. How the sequence ends:
///
/// | the sequence | ended |
/// |---|---|
/// | [`finish`](Sequence::finish) | as the reason says |
/// | dropped before | `cancelled`: the client has left, or the engine has given up |
///
/// As long as its handler runs, the request is the handler's to end, but for an engine that has failed: see
/// [`finish`](Sequence::finish).
///
/// Every mark may come at any time. One that cannot be true, or is true already, changes nothing, as each of them says; none
/// of them panics or waits. After `finish`, and where nobody records, none does anything.
///
/// `prefill` and `decode` are executions, unless the service marks its own. An engine does better: a stage around each of its
/// steps, with the requests of all its sequences, `#[inference_stage("execute", batch = requests)]`, shares out what a step
/// took, where these would each count all of it. [`context`](Sequence::context) is there for that.
#[must_use = "dropped before `finish`, a sequence is cancelled"]
pub struct Sequence {
    request: Option<RequestContext>,
    /// `None` once it has ended, and where nobody records.
    meter: Option<TokenMeter>,
}

impl Sequence {
    /// A sequence of this request, which begins to wait for its engine: `RequestContext::current()` in the handler, or, where
    /// the handler waits for the answer, the context that came along with the work. A request may have several, such as
    /// several answers to choose from.
    ///
    /// With `None` it belongs to no request: its stages are counted as all stages are there, and its tokens under the only
    /// model, without a tenant.
    pub fn begin(request: Option<RequestContext>) -> Sequence {
        let meter = TokenMeter::begin_waiting(request.as_ref().map(RequestContext::tally));
        Sequence { request, meter }
    }

    /// The engine begins with it: `queue` ends, and `prefill` begins. The first time counts, also where it is preempted and
    /// scheduled again. Without this mark there is no `queue`, and `prefill` lasts from the beginning to the first token.
    pub fn scheduled(&mut self) {
        if let Some(meter) = &mut self.meter {
            meter.scheduled();
        }
    }

    /// The first token has come, and is counted: [`tokens(1)`](Sequence::tokens), if none has come before, else nothing.
    pub fn first_token(&mut self) {
        if let Some(meter) = &mut self.meter
            && meter.is_before_first()
        {
            meter.generates(1);
        }
    }

    /// So many tokens have come since the last mark of tokens; the first of them is the first token, if none has come
    /// before. 0 is no mark.
    pub fn tokens(&mut self, tokens: u64) {
        if let Some(meter) = &mut self.meter
            && tokens > 0
        {
            meter.generates(tokens);
        }
    }

    /// The engine puts it aside, to go on with it later: `inference_preemptions_total`. Each time counts; what was measured
    /// before stays, and time goes on in the stage that it is in. Tokens that are computed again are no new ones.
    pub fn preempted(&mut self) {
        if let Some(meter) = &self.meter {
            meter.preempted();
        }
    }

    /// It has ended, for this reason, which is also that of its request, unless one was given before
    /// ([`RequestContext::finish`]). `Stop`, `Length`, `Tool` and `Filter` are `ok`, `Abort` is `cancelled`, and `Error` is
    /// `error`: of the type with which a stage of the request has failed, such as the step of the engine, else `internal`.
    ///
    /// An engine that fails may be faster than the handler that hands out its answer. So `Error` makes an `error` of the
    /// request even if the handler returns well, unless another sequence was begun after it.
    pub fn finish(&mut self, reason: FinishReason) {
        let Some(mut meter) = self.meter.take() else {
            return;
        };
        if let Some(tally) = meter.request() {
            tally.generated().finish(reason);
        }
        match reason {
            FinishReason::Stop
            | FinishReason::Length
            | FinishReason::Tool
            | FinishReason::Filter => meter.end(),
            FinishReason::Error => {
                meter.fail();
                meter.end();
            }
            FinishReason::Abort => {
                meter.abandon();
                drop(meter);
            }
        }
    }

    /// Whether nobody will read what it still generates: its request was dropped, as
    /// [`RequestContext::is_cancelled`] says, or has ended without it. Ask before each step, and drop it then.
    pub fn is_cancelled(&self) -> bool {
        let without_it =
            |meter: &TokenMeter| meter.request().is_some_and(|tally| tally.has_ended());
        let dropped = self.request.as_ref();
        dropped.is_some_and(RequestContext::is_cancelled)
            || self.meter.as_ref().is_some_and(without_it)
    }

    /// The request that it belongs to.
    pub fn context(&self) -> Option<&RequestContext> {
        self.request.as_ref()
    }
}

impl Drop for Sequence {
    fn drop(&mut self) {
        if let Some(meter) = &self.meter {
            meter.abandon();
        }
    }
}

impl fmt::Debug for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sequence")
            .field("request", &self.request)
            .field("open", &self.meter.is_some())
            .finish()
    }
}
