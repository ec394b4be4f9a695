//! What requests count that generate tokens: their series, made on first use, and what is written when one ends.

use crate::record::attributes::{Attributes, label, sorted};
use crate::record::catalog_generation::{
    FINISHES, INTER_TOKEN_LATENCY, REQUEST_TOKENS, SERVER_REQUEST_DURATION, TIME_PER_OUTPUT_TOKEN,
    TIME_TO_FIRST_TOKEN, TOKENS,
};
use crate::record::combo::{self, Combo, Key};
use crate::record::generated::Generated;
use crate::record::local;
use crate::record::metric::Metric;
use crate::record::recorder::{Recorder, State, Subject};
use crate::record::registry::lines;
use crate::record::series::{Kind, Series, SeriesId};
use crate::record::series_generation::{GenAiSeries, GenerationSeries, Point, Said};
use crate::vocab::outcome::Outcome;
use crate::vocab::token_kind::TokenKind;
use opentelemetry::KeyValue;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// More than any request has. Only a mistake gives more, such as a difference below 0, and a counter that adds such
/// numbers would wrap around: go down.
const MOST_TOKENS: u64 = 1 << 52;

/// Places in [`Combo::generation`] after those of the kinds of tokens.
const MODEL: usize = TokenKind::ALL.len();
const GEN_AI: usize = MODEL + 1;

impl Recorder {
    fn point(&self, metric: &'static Metric, attributes: Attributes) -> Point {
        let edges = metric.buckets.into();
        let histogram = self.instruments.histogram(metric, &edges);
        Point::new(histogram, attributes, &self.budget, lines(&edges))
    }

    /// The tokens of a model.
    fn generation(&self, model: usize) -> SeriesId {
        self.number_of(&mut self.state(), Subject::Generation { model }, |state| {
            let attributes = state.model_labels(model);
            let tokens = TokenKind::ALL.map(|kind| {
                let kind = KeyValue::new("token_type", kind.as_str());
                self.point(&REQUEST_TOKENS, state.labels(model, [kind]))
            });
            let series = GenerationSeries {
                clock: self.clock.clone(),
                gaps: self.point(&INTER_TOKEN_LATENCY, attributes.clone()),
                backpressure: self.instruments.backpressure.clone(),
                held: OnceLock::new(),
                preemptions: self.instruments.preemptions.clone(),
                preempted: OnceLock::new(),
                tokens,
                progress: self.observed.progress(&attributes),
                attributes,
            };
            // the time of slow readers, and preemptions
            (Series::Generation(series), 2)
        })
    }

    /// What a model does in the words of the `GenAI` conventions. What was said first counts: its series have it as a label.
    pub(crate) fn is_gen_ai(&self, model: usize, operation: &str, provider: &str) {
        let names = || (operation.into(), provider.into());
        self.state().gen_ai.entry(model).or_insert_with(names);
        self.any_gen_ai.store(true, Ordering::Release);
    }

    /// The requests of a model, as the `GenAI` conventions name them, that ended well or with this error; none where the
    /// model does not say what it does.
    fn gen_ai(&self, model: usize, error: Option<&'static str>) -> SeriesId {
        let mut state = self.state();
        let Some(attributes) = state.gen_ai_labels(model, error) else {
            return SeriesId::NONE;
        };
        self.number_of(&mut state, Subject::GenAi { model, error }, |_| {
            let point = |metric| self.point(metric, attributes.clone());
            let series = GenAiSeries {
                clock: self.clock.clone(),
                took: point(&SERVER_REQUEST_DURATION),
                first: point(&TIME_TO_FIRST_TOKEN),
                rest: point(&TIME_PER_OUTPUT_TOKEN),
            };
            (Series::GenAi(series), 0)
        })
    }
}

impl State {
    fn gen_ai_labels(&self, model: usize, error: Option<&'static str>) -> Option<Attributes> {
        let (operation, provider) = self.gen_ai.get(&model)?;
        let mut all = self.model_labels(model).into_vec();
        all.extend([
            label("gen_ai.operation.name", operation),
            label("gen_ai.provider.name", provider),
            label("gen_ai.request.model", &self.model_name(model)),
        ]);
        all.extend(error.map(|error| KeyValue::new("error.type", error)));
        Some(sorted(all).into())
    }
}

fn known_or(known: &AtomicU32, find: impl FnOnce() -> SeriesId) -> SeriesId {
    match known.load(Ordering::Acquire) {
        0 => {
            let found = find();
            known.store(found.bits(), Ordering::Release);
            found
        }
        bits => SeriesId::from_bits(bits),
    }
}

/// The series of the tokens of a combination's model.
pub(crate) fn series(recorder: &Recorder, combo: &Combo) -> SeriesId {
    known_or(&combo.generation[MODEL], || {
        recorder.generation(combo.labels.model)
    })
}

/// Tokens on the bill of a combination's tenant.
pub(crate) fn bill(recorder: &Recorder, combo: &Combo, kind: TokenKind, tokens: u64) {
    let tokens = tokens.min(MOST_TOKENS);
    let counter = known_or(&combo.generation[kind.index()], || {
        let tenant = combo.labels.tenant.as_deref();
        let labels: Vec<_> = [("token_type", kind.as_str())]
            .into_iter()
            .chain(tenant.map(|tenant| ("tenant", tenant)))
            .collect();
        recorder.count(&TOKENS, Some(combo.labels.model), &labels)
    });
    local::with(|local| local.push(counter.event(Kind::COUNT, tokens)));
}

/// Tokens on nobody's bill, under the model of a combination: outside of any request, or after its end.
pub(crate) fn bill_alone(combo: u32, kind: TokenKind, tokens: u64) {
    let Some(of) = combo::get(combo) else { return };
    let Some(recorder) = of.recorder() else {
        return;
    };
    let alone = Key::of_model(&recorder, of.labels.model);
    if let Some(alone) = combo::get(combo::number(&recorder, alone, None)) {
        bill(&recorder, &alone, kind, tokens);
    }
}

/// What works for a combination's model gives a sign of life.
pub(crate) fn heartbeat(combo: u32) {
    if let Some(of) = combo::get(combo)
        && let Some(recorder) = of.recorder()
    {
        recorder.progress(of.labels.model).now(&recorder.clock);
    }
}

/// A request has ended, after so many ticks.
pub(crate) fn ended(
    recorder: &Recorder,
    combo: &Combo,
    generated: Option<&Generated>,
    outcome: Outcome,
    took: u64,
) {
    if let Some(generated) = generated {
        count(recorder, combo, generated);
    }
    if recorder.any_gen_ai.load(Ordering::Acquire) {
        let model = combo.labels.model;
        let series = match failure(outcome) {
            None => known_or(&combo.generation[GEN_AI], || recorder.gen_ai(model, None)),
            error => recorder.gen_ai(model, error),
        };
        name(series, generated.filter(|_| outcome == Outcome::Ok), took);
    }
}

fn count(recorder: &Recorder, combo: &Combo, generated: &Generated) {
    let series = series(recorder, combo);
    for kind in TokenKind::ALL {
        if let Some(tokens) = generated.tokens(kind) {
            let tokens = tokens.min(MOST_TOKENS);
            local::with(|local| local.push(series.said(Said::tokens(kind), 0, tokens)));
            bill(recorder, combo, kind, tokens);
        }
    }
    if let Some(reason) = generated.finished() {
        let labels = [("finish_reason", reason.as_str())];
        let series = recorder.count(&FINISHES, Some(combo.labels.model), &labels);
        local::with(|local| local.push(series.event(Kind::COUNT, 1)));
    }
}

/// The same in the names of the conventions.
fn name(series: SeriesId, generated: Option<&Generated>, took: u64) {
    if series.is_none() {
        return;
    }
    local::with(|local| {
        local.push(series.said(Said::Took, 0, took));
        if let Some(first) = generated.and_then(Generated::first) {
            local.push(series.said(Said::First, 0, first));
        }
        if let Some((ticks, tokens)) = generated.and_then(Generated::rest) {
            local.push(series.said(Said::Rest, tokens, ticks));
        }
    });
}

/// The label `error_type` of the conventions: without it a request counts as one that ended well.
const fn failure(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Ok => None,
        Outcome::Error(error) => Some(error.as_str()),
        Outcome::Rejected(reason) => Some(reason.as_str()),
        Outcome::Cancelled | Outcome::Panicked => Some(outcome.as_str()),
    }
}
