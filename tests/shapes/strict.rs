//! What a strict crate writes: the attributes may not cause a lint, and may not need `unsafe` or an `allow`.
//!
//! Taken in with `#[path]`, or compiled as a crate of its own; `cargo clippy --all-targets` is the check.
#![forbid(unsafe_code)]
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused_qualifications
)]
#![deny(clippy::all, clippy::pedantic)]

use instrument_inference::{Health, health_check, inference_request, inference_stage, reason};
use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;

/// A future in a box.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Weights of a model.
#[derive(Debug)]
pub struct Weights {
    scale: f32,
    warm: bool,
}

/// Nothing came out.
#[derive(Debug)]
pub struct Failed;

impl Display for Failed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("failed")
    }
}

impl std::error::Error for Failed {}

/// Does nothing.
#[inference_stage("preprocess")]
pub fn unit() {}

/// Takes all kinds of arguments.
///
/// # Errors
/// When there is nothing to scale.
#[inference_stage("preprocess", buckets = [0.000_25, 0.001, 1], objective = "250us")]
pub fn arguments(
    values: &[f32],
    mut scratch: Vec<f32>,
    _unused: String,
    (a, b): (f32, f32),
) -> Result<Vec<f32>, Failed> {
    if values.is_empty() {
        return Err(Failed);
    }
    scratch.extend(values.iter().map(|value| value * a + b));
    Ok(scratch)
}

/// Hides its type.
#[inference_stage("postprocess")]
pub fn hidden(values: &[f32]) -> impl Iterator<Item = f32> + '_ {
    values.iter().copied()
}

/// Never returns.
#[inference_stage("worker")]
pub fn never() -> ! {
    std::process::abort()
}

/// Tells where it was called.
#[inference_stage("postprocess")]
#[track_caller]
#[must_use]
pub fn tracked() -> u32 {
    std::panic::Location::caller().line()
}

/// A future without `async`.
#[inference_stage("execute")]
pub fn future(values: Vec<f32>) -> impl Future<Output = usize> + Send {
    async move { values.len() }
}

/// A future in a box.
#[inference_stage("execute")]
#[must_use]
pub fn boxed(values: &[f32]) -> Boxed<'_, usize> {
    let count = values.len();
    Box::pin(async move { count })
}

/// A future in a box that can be seen.
#[inference_stage("execute")]
#[must_use]
pub fn boxed_in_sight<'a>(values: &'a [f32]) -> Pin<Box<dyn Future<Output = usize> + Send + 'a>> {
    const EXTRA: usize = 1;
    let count = values.len() + EXTRA;
    Box::pin(async move { count })
}

impl Weights {
    /// Cold weights.
    #[must_use]
    pub fn new(scale: f32) -> Self {
        Self { scale, warm: false }
    }

    /// Runs the model.
    ///
    /// # Errors
    /// When there is nothing to run.
    #[inference_stage("execute", device, labels(warm = self.warm, source = "memory"), buckets = llm, error = classify)]
    pub async fn run(&self, values: Vec<f32>) -> Result<Vec<f32>, Failed> {
        let longest = longest(&values).await.ok_or(Failed)?;
        let values: Vec<f32> = values.iter().map(|value| value * self.scale).collect();
        if longest > values.len() {
            Err(Failed)
        } else {
            Ok(values)
        }
    }

    /// Gives the scale away.
    #[inference_stage("postprocess")]
    #[must_use]
    pub fn into_scale(self) -> f32 {
        self.scale
    }

    /// Warms up.
    #[inference_stage("preprocess")]
    pub fn warm(&mut self) -> &mut Self {
        self.warm = true;
        self
    }
}

fn classify(_: &Failed) -> instrument_inference::ErrorType {
    instrument_inference::ErrorType::Internal
}

#[inference_stage("rerank", custom)]
async fn longest(values: &[f32]) -> Option<usize> {
    let first = *values.first()?;
    std::future::ready(values.iter().position(|value| *value > first)).await
}

/// Answers.
///
/// # Errors
/// When the model fails.
#[inference_request(ingress = "http", labels(warm = weights.warm), objective = "1s")]
pub async fn predict(weights: &Weights, values: Vec<f32>) -> Result<Vec<f32>, Failed> {
    unit();
    let values = arguments(&values, Vec::new(), String::new(), (1.0, 0.0))?;
    weights.run(values).await
}

/// Answers at once.
#[inference_request(root)]
#[must_use]
pub fn predict_now(values: &[f32]) -> Vec<f32> {
    hidden(values).collect()
}

/// Says whether the weights are warm.
#[health_check(cache = "10s", timeout = "50ms", failures = 3, model = "digits")]
#[must_use]
pub fn weights_warm(weights: &Weights) -> bool {
    weights.warm
}

/// Asks somebody else.
///
/// # Errors
/// When nobody answers.
#[health_check(remote, soft, reason = "store_down")]
pub async fn store(weights: &Weights) -> Result<Health, Failed> {
    let warm = std::future::ready(weights.warm).await;
    if warm { Ok(Health::up()) } else { Err(Failed) }
}

#[health_check(group = "liveness")]
async fn engine() {
    std::future::ready(()).await;
}

#[health_check(group = ["readiness", "startup"], hard)]
fn disk() -> Health {
    Health::degraded(reason!("disk_nearly_full"))
}
