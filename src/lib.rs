//! See inside a Rust inference service by annotating its functions.
//!
//! Put [`inference_request`] on each handler and [`inference_stage`] on each step, install a [`Telemetry`], and
//! Prometheus can scrape latency split by stage, honest outcomes, and what is in flight:
//!
//! ```standalone_crate
//! use instrument_inference::{Classify, ErrorType, Telemetry, inference_request, inference_stage};
//! # use std::time::Duration;
//!
//! # struct Failure;
//! # impl Classify for Failure {
//! #     fn error_type(&self) -> ErrorType {
//! #         ErrorType::InvalidInput
//! #     }
//! # }
//! #[inference_request(ingress = "http")]
//! async fn predict(text: &str) -> Result<f32, Failure> {
//!     let features = preprocess(text)?;
//!     Ok(execute(&features))
//! }
//!
//! #[inference_stage("preprocess")]
//! fn preprocess(text: &str) -> Result<Vec<f32>, Failure> {
//!     if text.is_empty() { Err(Failure) } else { Ok(vec![text.len() as f32]) }
//! }
//!
//! #[inference_stage("execute", objective = "20ms")]
//! fn execute(features: &[f32]) -> f32 {
//!     features.iter().sum()
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let telemetry = Telemetry::builder("sentiment-api").metrics_addr("127.0.0.1:0").install()?;
//! telemetry.model("sentiment", "2024.06.15");
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! assert!(predict("lovely").await.is_ok());
//! assert!(predict("").await.is_err());
//! # });
//! let scrape = telemetry.scrape();
//! assert!(scrape.contains(r#"inference_requests_total{ingress="http",model="sentiment",outcome="rejected",version="2024.06.15"} 1"#));
//! # telemetry.shutdown_blocking(Duration::from_secs(5))?;
//! # Ok(())
//! # }
//! ```
//!
//! What there is to see is in [`CATALOG`]. Telemetry never fails a request: it does not panic, does not wait, and
//! does not grow without bound; without an installed `Telemetry` an annotated function does what it did before.

#[doc(hidden)]
pub use instrument_runtime::__private;

/// Marks a function as a step of a request: its duration, by outcome, and what is in flight.
///
/// ```
/// use instrument_inference::inference_stage;
///
/// #[inference_stage("preprocess")]
/// fn preprocess(text: &str) -> Vec<u32> {
///     text.bytes().map(u32::from).collect()
/// }
/// # assert_eq!(preprocess("a"), [97]);
/// ```
///
/// On free functions and methods, default methods of traits and their implementations, sync and async, and on
/// functions that return `impl Future` or a boxed future; streams are followed to their end with [`stream`](#stream).
/// The function stays what it was: signature, lifetimes, attributes, and the order in which named parameters are dropped.
/// Not on a whole `impl` block: one attribute per step.
/// Lints look at the body as before, but for a few that ask what is inside a closure, such as `missing_const_for_fn`,
/// `needless_pass_by_value`, `needless_return` and `unconditional_recursion`. A future grows by at most 64 bytes, and by the
/// arguments that its body takes.
///
/// The stage begins when the function is called, or with the first poll of its future, and ends once: `ok`, `error`
/// or `rejected` by what it returns (see below), `cancelled` when its future is dropped, `panicked` when it unwinds.
/// It belongs to the request that runs on this thread or task. Outside of any, it belongs to the only declared
/// model, else to `model="none"`, and is counted by `inference_orphan_stages_total`.
///
/// Measured are `inference_stage_duration_seconds`, `inference_stage_duration_max_seconds` and
/// `inference_stage_in_flight`. `execute`, `prefill`, `decode`, and what is marked `device`, are *executions*: they
/// also move `inference_last_progress_timestamp_seconds`, and the built-in check `stalled` sees when they hang (see
/// [`stall`](#stall)). Once a request has begun one, a caller's mistake is not `rejected` any more but an `error`.
///
/// # The outcome
///
/// It follows from the type of the returned value, never from its name: `Ok` of a `Result` is asked like any
/// value, `Err` is asked through [`Classify`](trait@Classify), else through its chain of sources and their texts, else
/// it is `internal`. A value that implements [`ToOutcome`], such as an HTTP response, says itself; any other value is
/// `ok`. Within generic code, where the type is not known, `T` is `ok` and an `E` without bounds is `internal`.
///
/// So an error that only `IntoResponse` of `axum` tells apart is `internal`, also where it becomes a 400: derive
/// [`Classify`](derive@Classify) for it. Inside a [`request_layer`](Telemetry::request_layer) the status code of a failure
/// says more than `internal`, and the request ends by that; its stages do not.
///
/// # The name
///
/// **Type**: string literal, first. **Required.**
///
/// Lower case letters, digits and `_`, starting with a letter, at most 32. Well-known are `ingress`, `queue`,
/// `preprocess`, `batch`, `execute`, `postprocess`, `prefill` and `decode`: dashboards know them. A name that is one
/// letter away from one of them does not compile, unless `custom` says that it is meant so.
///
/// ```
/// # use instrument_inference::inference_stage;
/// #[inference_stage("rerank")]
/// fn rerank(scores: &mut [f32]) {
///     scores.sort_by(f32::total_cmp);
/// }
/// # rerank(&mut [1.0]);
/// ```
///
/// # `custom`
///
/// **Type**: bare word. **Default**: off.
///
/// The name is meant as it is written.
///
/// ```
/// # use instrument_inference::inference_stage;
/// #[inference_stage("batches", custom)]
/// fn batches() {}
/// # batches();
/// ```
///
/// # `labels(key = value, …)`
///
/// **Type**: expressions that implement [`LabelValue`](trait@LabelValue), or string literals. **Default**: none.
///
/// More labels for the stage's duration. They see the arguments, by reference, before the body runs; what would leave
/// the function or wait (`?`, `return`, `.await`) is refused, as in every expression of the attribute. Their types
/// bound how many values there are, so a `String` or a number does not compile; keys that name something unbounded
/// (`request_id`, `prompt`, …), or that scrapers or this library own, do not compile either. What identifies one request
/// goes into an event inside, such as `tracing::info!(request_id)`, or into a span of your own.
///
/// ```
/// # use instrument_inference::inference_stage;
/// #[inference_stage("preprocess", labels(cached = cached, source = "upload"))]
/// fn preprocess(cached: bool) -> bool {
///     cached
/// }
/// # preprocess(true);
/// ```
///
/// # `model`
///
/// **Type**: expression, a [`ModelSlot`] or a reference to one. **Default**: what the request says.
///
/// For a step that runs another model than the request's own.
///
/// ```
/// # use instrument_inference::{ModelSlot, inference_stage};
/// #[inference_stage("execute", model = encoder)]
/// fn encode(encoder: &ModelSlot, text: &str) -> usize {
///     text.len()
/// }
/// ```
///
/// # `batch`
///
/// **Type**: expression that implements [`Members`]: a [`Batch`](queue::Batch), a slice or vector of
/// [`Queued`](queue::Queued) or [`RequestContext`], or a number of requests. **Default**: one request.
///
/// One call serves many requests. Each of them has the stage, with its own outcome: a `Vec<Result<_, _>>` holds one for
/// each member, in their order; any other value is the same for all. The execution itself is counted once, in
/// `inference_batch_size` and `inference_batch_duration_seconds`, and its time is shared over the members in
/// `inference_compute_seconds_total`. The expression is borrowed before the body runs. An engine that has a [`Sequence`] for
/// each request collects what [`Sequence::context`] says into a `Vec<RequestContext>`.
///
/// ```
/// # use instrument_inference::{ErrorType, inference_stage, queue::Batch};
/// type Answer = Result<f32, ErrorType>;
///
/// #[inference_stage("execute", batch = batch)]
/// fn execute(batch: &Batch<Vec<f32>, Answer>) -> Vec<Answer> {
///     batch.inputs().map(|input| Ok(input.iter().sum())).collect()
/// }
/// ```
///
/// # `device`
///
/// **Type**: bare word, or an expression that names a device: an integer, a text, or an `Option` of one. **Default**: on
/// for `execute`, `prefill` and `decode`, on whichever device.
///
/// The stage is a run on the device: an execution. Where the device is named, it is a label of
/// `inference_batch_duration_seconds`, so that one slow device of several shows. The expression is borrowed before the
/// body runs. `None`, an index below 0 and an empty text leave the label out; a process has at most 64 names, further ones
/// are `other`, and of a long name the first 128 bytes are kept.
///
/// ```
/// # use instrument_inference::inference_stage;
/// #[inference_stage("embed", device)]
/// fn embed() {}
///
/// struct Engine {
///     gpu: usize,
/// }
///
/// impl Engine {
///     #[inference_stage("execute", device = self.gpu)]
///     fn execute(&self) {}
/// }
/// # embed();
/// # Engine { gpu: 0 }.execute();
/// ```
///
/// # `buckets`
///
/// **Type**: `micro`, `fast`, `general` or `llm` (see [`Buckets`]), or up to 64 edges in seconds, finite, above zero
/// and strictly increasing. **Default**: `general`.
///
/// All sites of a stage share one layout: two that ask for different ones make [`install`] fail, naming both.
///
/// ```
/// # use instrument_inference::inference_stage;
/// #[inference_stage("tokenize", buckets = micro)]
/// fn tokenize() {}
///
/// #[inference_stage("rank", buckets = [0.001, 0.002, 0.005])]
/// fn rank() {}
/// # tokenize();
/// # rank();
/// ```
///
/// # `objective`
///
/// **Type**: string literal, a whole number and `us`, `ms`, `s`, `m` or `h`. **Default**: none.
///
/// The duration that the stage should not exceed. It becomes an edge of the buckets, so that the share within it is
/// exact.
///
/// ```
/// # use instrument_inference::inference_stage;
/// #[inference_stage("execute", objective = "50ms")]
/// fn execute() {}
/// # execute();
/// ```
///
/// # `stall`
///
/// **Type**: string literal, a whole number above zero and `us`, `ms`, `s`, `m` or `h`. **Default**: none; then 60 s only
/// degrade. For executions only.
///
/// While the stage is under way, its model has to give signs of life: an execution that comes to its end, a token, or a
/// heartbeat from inside. After this long without one, the stage counts as stalled, and the model's readiness fails with
/// the reason `stalled`. So does that of the service, unless it can do without the model (`optional()`), or another version
/// of the model makes progress. It recovers by itself with the next sign of life. Choose a time longer than the longest
/// execution that is still right. A stall is seen within two seconds, also where the threads of the service are blocked.
///
/// Nothing is stalled while nothing is under way, nor while the reader of a stream takes its time; see
/// [`RequestContext::heartbeat`] and [`ModelSlot::heartbeat`] for executions that take long. Several engines of one model,
/// such as one for each GPU, give signs of life for each other: `docs/health.md` says what to do there. An execution whose future is
/// dropped gives no sign of life. All sites of a stage share one: two that give different ones make [`install`] fail, naming
/// both.
///
/// ```
/// # use instrument_inference::{ModelSlot, inference_stage};
/// #[inference_stage("diffuse", device, stall = "90s", model = slot)]
/// fn diffuse(slot: &ModelSlot, steps: usize) {
///     for step in 0..steps {
///         // …
///         slot.heartbeat();
///     }
/// }
/// ```
///
/// # `stream`
///
/// **Type**: bare word. **Default**: off; without it, a function that returns a stream is measured until it has returned.
///
/// The stage goes on until the stream has ended: `ok` when it has given its last item; in the outcome of its last item
/// when that was an `Err` (asked like a returned one), whether the stream is then asked again or dropped; `cancelled`
/// when it is dropped before. A function that returns no stream, but an `Err` or `None`, ends the stage by that.
///
/// The stream is an `impl Stream`, or in a box (`BoxStream`, `Pin<Box<dyn Stream>>`) under any name, such as the
/// associated type of a service of tonic; alone, or within a `Result`, an `Option` or a `Response`; returned, or given by
/// a future. Where a type of somebody else hides it (`Sse`, `Body`), hand the stream through a function of your own.
///
/// ```
/// use futures::stream::{self, Stream};
/// # use instrument_inference::inference_stage;
/// #[inference_stage("decode", stream)]
/// fn generate(prompt: Vec<u32>) -> impl Stream<Item = Result<u32, std::io::Error>> {
///     stream::iter(prompt.into_iter().map(|token| Ok(token + 1)))
/// }
/// # let tokens: Vec<_> = futures::executor::block_on(futures::StreamExt::collect(generate(vec![1, 2])));
/// # assert_eq!(tokens.len(), 2);
/// ```
///
/// # `error`
///
/// **Type**: path of a function `fn(&E) -> ErrorType`. **Default**: [`Classify`](trait@Classify) and its fall-backs.
///
/// For errors of somebody else.
///
/// ```
/// # use instrument_inference::{ErrorType, inference_stage};
/// fn of_parse(_: &std::num::ParseIntError) -> ErrorType {
///     ErrorType::InvalidInput
/// }
///
/// #[inference_stage("preprocess", error = of_parse)]
/// fn parse(text: &str) -> Result<u32, std::num::ParseIntError> {
///     text.parse()
/// }
/// # parse("1").unwrap();
/// ```
///
/// # `no_span`
///
/// **Type**: bare word. **Default**: off.
///
/// With the feature `tracing`, a stage is a span of that crate: `inference.stage`, at `DEBUG`, with the function's own
/// module as its target, so `RUST_LOG=my_service=debug` shows it. It says `stage`, `model`, `version`, for a batch
/// `batch_size`, and when it ends `outcome` and `error_type`. What runs inside is inside of the span: in each poll of a
/// future, while one is dropped, and behind [`carry`], [`spawn`] and their like, too. A batch has one span, which
/// follows from the requests of its members. With `tracing-opentelemetry`, all this is a trace.
///
/// Where no subscriber looks at `DEBUG`, that is one load and one branch. `no_span` is for a stage that is called so often
/// that its spans would bury all others: it is measured all the same. There are no spans where nothing is recorded:
/// without an installed `Telemetry`, and with `INSTRUMENT_DISABLED=1`.
///
/// ```
/// # use instrument_inference::inference_stage;
/// #[inference_stage("decode", no_span)]
/// fn one_token() {}
/// # one_token();
/// ```
///
/// # `crate`
///
/// **Type**: absolute path. **Default**: `::instrument_inference`.
///
/// Where this crate is, when it is renamed or reached through a re-export: `crate = ::platform::telemetry`, or
/// `crate = crate::telemetry` for a module of your own. Without it, rustc says that it could not find
/// `instrument_inference` in the list of imported crates, nor the attribute `linkme`.
///
/// [`install`]: TelemetryBuilder::install
pub use instrument_macros::inference_stage;

/// Marks a function as the handler of a request: end-to-end duration, one outcome, errors by stage.
///
/// ```
/// use instrument_inference::{ErrorType, inference_request};
///
/// #[inference_request(ingress = "http")]
/// async fn predict(input: Vec<f32>) -> Result<f32, ErrorType> {
///     if input.is_empty() {
///         return Err(ErrorType::InvalidInput); // ends as `rejected`
///     }
///     Ok(input.iter().sum())
/// }
/// ```
///
/// On the same shapes of functions as [`inference_stage`], with the same rules for outcomes. The request is current
/// in everything that the function calls and awaits, and its stages belong to it; to carry it into a task or thread
/// of its own, see [`RequestContext`]. Inside a request another handler joins: it fills in what is not said yet, and
/// counts nothing of its own; the same handler again (recursion) is a request of its own.
///
/// Measured are `inference_requests_total`, `inference_request_duration_seconds`,
/// `inference_request_duration_max_seconds`, `inference_requests_in_flight`,
/// `inference_unattributed_seconds_total` (the time that no stage covers), and, for what did not go well,
/// `inference_errors_total`, `inference_rejections_total` and `inference_cancellations_total`.
///
/// # `ingress`
///
/// **Type**: string literal, or an expression that implements [`LabelValue`](trait@LabelValue). **Default**: left out.
///
/// How the request came in. A label of `inference_requests_total`.
///
/// # `tier`
///
/// **Type**: string literal, or an expression that implements [`LabelValue`](trait@LabelValue). **Default**: left out.
///
/// What the caller has paid for. A label of `inference_requests_total` and of the duration.
///
/// ```
/// # use instrument_inference::{LabelValue, inference_request};
/// #[derive(LabelValue)]
/// enum Tier {
///     Free,
///     Paid,
/// }
///
/// #[inference_request(ingress = "grpc", tier = tier)]
/// async fn predict(tier: Tier) {}
/// ```
///
/// # `tenant`
///
/// **Type**: string literal, or an expression that implements [`trait@LabelValue`]: usually a [`Label`] of a
/// [`LabelSet`]. **Default**: left out.
///
/// For whom the request is. Tenants have families of their own, at 3 series for each instead of 25: their requests by
/// outcome, time, errors, how many met the `objective`, and their share of the compute.
///
/// ```
/// # use instrument_inference::{LabelSet, inference_request};
/// # struct User { tenant: String }
/// static TENANTS: LabelSet = LabelSet::capped("tenant", 100);
///
/// #[inference_request(ingress = "http", tenant = TENANTS.admit(&user.tenant))]
/// async fn predict(user: User) {} // who the user is was checked before
/// ```
///
/// # `route`
///
/// **Type**: string literal, or an expression that is a text (`&str`, `String`, `Cow<str>`) or an `Option` of one.
/// **Default**: left out.
///
/// The route that the handler was reached by, such as `/models/{model}/predict`. Not a label: it is in the request's span
/// (`route`), in the event of a request that fails, and in [`RequestContext::route`]. At most 128 bytes of it are kept, up
/// to the end of a character; an empty one is none. As every expression of the attribute it is evaluated once, before the
/// body runs, and only where requests are recorded.
///
/// ```
/// use axum::extract::MatchedPath;
/// # use axum::{Router, routing::get};
/// # use instrument_inference::inference_request;
///
/// #[inference_request(ingress = "http", route = path.as_str())]
/// async fn predict(path: MatchedPath) -> &'static str {
///     "an answer"
/// }
/// # let app: Router = Router::new().route("/models/{model}/predict", get(predict));
/// ```
///
/// In a handler that serves as a fall-back, too: `path: Option<MatchedPath>` and
/// `route = path.as_ref().map(MatchedPath::as_str)`.
///
/// # `model`
///
/// **Type**: expression, a [`ModelSlot`] or a reference to one. **Default**: the only declared model, else `none`.
///
/// ```
/// # use instrument_inference::{ModelSlot, inference_request};
/// struct App {
///     slot: ModelSlot,
/// }
///
/// #[inference_request(model = &app.slot)]
/// async fn predict(app: &App) {}
/// ```
///
/// # `labels(key = value, …)`
///
/// **Type**: as for [`inference_stage`]. **Default**: none.
///
/// More labels for `inference_requests_total` and the duration.
///
/// # `buckets`, `objective`
///
/// **Type** and **default**: as for [`inference_stage`]. All handlers share one layout.
///
/// # `stream`
///
/// **Type** and **default**: as for [`inference_stage`].
///
/// The request goes on until the stream that its handler gives has ended, and what the stream does is a part of it. Inside
/// a layer, the layer ends the request; the error that stopped the stream still says more than the status code.
///
/// # `error`
///
/// **Type** and **default**: as for [`inference_stage`].
///
/// # `root`
///
/// **Type**: bare word. **Default**: off.
///
/// A request of its own even inside another.
///
/// ```
/// # use instrument_inference::inference_request;
/// #[inference_request(root)]
/// async fn warm_up() {}
/// ```
///
/// # `no_span`
///
/// **Type** and **default**: as for [`inference_stage`].
///
/// The span of a request is `inference.request`, at `INFO`. It says `handler`, `model`, `version`, `ingress`, `tier`,
/// `tenant` and `route`, as far as they are given, `trace_id` where the caller has sent one (see
/// [`request_layer`](Telemetry::request_layer)), and when the request ends `outcome` and `error_type`. Where a
/// [`request_layer`](Telemetry::request_layer) owns the request, the span is the layer's (target
/// `instrument_inference::request`), lasts until the answer's body has ended, and the handler inside is named in it: there
/// is no second one. The rest is as for [`inference_stage`].
///
/// # `crate`
///
/// **Type** and **default**: as for [`inference_stage`].
pub use instrument_macros::inference_request;

/// Makes a function a health check: it is run in the background, and what it says answers the probes of a cluster.
///
/// ```standalone_crate
/// use instrument_inference::{Health, Telemetry, health_check, reason};
/// # static VOCABULARY: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
///
/// #[health_check(cache = "5s", timeout = "50ms")]
/// fn tokenizer_loaded() -> Health {
///     match VOCABULARY.get() {
///         None => Health::down(reason!("no_vocabulary")),
///         Some(words) if words.is_empty() => Health::degraded(reason!("vocabulary_empty")),
///         Some(_) => Health::up(),
///     }
/// }
///
/// # use instrument_inference::Verdict;
/// let telemetry = Telemetry::builder("sentiment-api").without_models().install()?;
/// # while telemetry.health().verdict("tokenizer_loaded") == Some(Verdict::Pending) {
/// #     std::thread::yield_now();
/// # }
/// assert_eq!(telemetry.health().verdict("tokenizer_loaded"), Some(Verdict::Down));
/// # telemetry.shutdown_blocking(std::time::Duration::from_secs(5))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// For free functions, sync and async. A sync check may block: it has a thread to itself, never one of the
/// application's runtime. The function stays what it is: called by hand, it looks and answers. Checks that look at
/// memory are done in 50 ms; for those that ask a disk or another machine a second is right.
///
/// # What it returns
///
/// `bool`, `()`, [`Health`], or a [`Result`] of `()` or [`Health`] whose error can be displayed. An error's text goes to
/// the log; what is shown to anyone are identifiers, from [`reason!`](macro@reason). A panic and a time-out are failures.
///
/// ```
/// # use instrument_inference::{Health, health_check, reason};
/// # async fn free_shards() -> Result<u8, std::io::Error> {
/// #     Ok(1)
/// # }
/// #[health_check(timeout = "1s")]
/// async fn shards() -> Result<Health, std::io::Error> {
///     match free_shards().await? {
///         0 => Ok(Health::fatal(reason!("no_shards"))), // no second failure is waited for
///         _ => Ok(Health::up()),
///     }
/// }
/// ```
///
/// # The state
///
/// A check has no argument, or one: a reference to a state, which is any type that is `Send`, `Sync` and `'static`.
/// [`TelemetryBuilder::provide`] or [`Telemetry::provide`] gives it; until then the check is pending. An `Arc<App>` that
/// is provided is for checks that take `&Arc<App>`.
///
/// ```standalone_crate
/// # use instrument_inference::{Telemetry, health_check};
/// # use std::time::Duration;
/// struct App {
///     free_slots: usize,
/// }
///
/// #[health_check]
/// fn has_room(app: &App) -> bool {
///     app.free_slots > 0
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let telemetry = Telemetry::builder("sentiment-api").provide(App { free_slots: 8 }).install()?;
/// # telemetry.shutdown_blocking(Duration::from_secs(5))?;
/// # Ok(())
/// # }
/// ```
///
/// # Which checks are run
///
/// Those of every crate that is linked: no list has to be kept. [`TelemetryBuilder::without_check`] leaves one out,
/// [`TelemetryBuilder::linked_checks`] all of them; [`TelemetryBuilder::checks`] takes in those named by
/// [`check!`](macro@check). [`TelemetryBuilder::expect_checks`] refuses to start without those that must be there. Two of
/// one name are refused at the start.
///
/// ```standalone_crate
/// # use instrument_inference::{Telemetry, check};
/// # use std::time::Duration;
/// mod tokenizer {
///     #[instrument_inference::health_check]
///     pub fn loaded() {}
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let telemetry = Telemetry::builder("sentiment-api")
///     .linked_checks(false)
///     .checks([check!(tokenizer::loaded)])
///     .install()?;
/// # assert!(telemetry.health().verdict("loaded").is_some());
/// # telemetry.shutdown_blocking(Duration::from_secs(5))?;
/// # Ok(())
/// # }
/// ```
///
/// # Durations
///
/// **Type** of all of them: string literal, a whole number and `ns`, `us`, `ms`, `s`, `m` or `h`. Those that do not go
/// together do not compile. How soon a fault shows: `refresh` + `timeout` + (`failures` − 1) × (`confirm` + `timeout`),
/// 4.1 s for `cache = "5s", timeout = "50ms"`.
///
/// # `cache`
///
/// **Type**: duration. **Default**: 5 s.
///
/// How long a result counts as fresh. At least 150 ms longer than `timeout`.
///
/// # `timeout`
///
/// **Type**: duration. **Default**: a fifth of `cache`, 1 s at most.
///
/// When the verdict falls, even where the check never returns.
///
/// ```
/// # use instrument_inference::health_check;
/// #[health_check(cache = "30s", timeout = "2s")]
/// fn disk_answers() -> std::io::Result<()> {
///     std::fs::metadata(".").map(|_| ())
/// }
/// ```
///
/// # `group`
///
/// **Type**: `"readiness"`, `"liveness"`, `"startup"`, or a list of them. **Default**: `"readiness"`.
///
/// What it helps to decide: whether the replica gets traffic, whether it is restarted, whether it has started. Only what
/// a restart repairs belongs in liveness.
///
/// ```
/// # use instrument_inference::health_check;
/// #[health_check(group = ["readiness", "startup"])]
/// fn cache_filled() -> bool {
///     true
/// }
/// ```
///
/// # `soft`, `hard`
///
/// **Type**: bare word. **Default**: `hard`.
///
/// A hard check that is down takes the replica out of rotation; a soft one makes it degraded, and it still serves. There
/// is no soft check in liveness.
///
/// ```
/// # use instrument_inference::health_check;
/// #[health_check(soft)]
/// fn response_cache_warm() -> bool {
///     true
/// }
/// ```
///
/// # `remote`
///
/// **Type**: bare word. **Default**: off.
///
/// It asks another machine, which others ask too. So it says `soft` or `hard` itself: with `hard`, all replicas leave at
/// once when that machine is down. It is never in liveness.
///
/// ```
/// # use instrument_inference::health_check;
/// # async fn ping() -> Result<(), std::io::Error> {
/// #     Ok(())
/// # }
/// #[health_check(remote, soft, timeout = "500ms")]
/// async fn feature_store() -> Result<(), std::io::Error> {
///     ping().await
/// }
/// ```
///
/// # `name`
///
/// **Type**: string literal, 1 to 64 of `a`–`z`, `0`–`9` and `_`. **Default**: the function's name.
///
/// # `reason`
///
/// **Type**: as `name`. **Default**: the check's name.
///
/// What is shown when the check fails without naming a reason: `false`, an error.
///
/// ```
/// # use instrument_inference::health_check;
/// #[health_check(name = "redis", reason = "redis_down", remote, hard)]
/// async fn ping_redis() -> bool {
///     true
/// }
/// ```
///
/// # `model`
///
/// **Type**: string literal, a model's name. **Default**: none.
///
/// The check is about one model: while it is hard and not up, that model is not ready.
///
/// ```
/// # use instrument_inference::health_check;
/// #[health_check(model = "sentiment")]
/// fn labels_match() -> bool {
///     true
/// }
/// ```
///
/// # `refresh`
///
/// **Type**: duration, at least 100 ms; with `timeout` not longer than `cache`. **Default**: 0.6 × `cache`, less where
/// `timeout` leaves less.
///
/// From the start of a run to the start of the next one. Runs of one check never overlap.
///
/// # `confirm`
///
/// **Type**: duration. **Default**: `refresh`, 1 s at most.
///
/// How soon it is run again after it has said the opposite of what is known of it.
///
/// # `failures`, `successes`
///
/// **Type**: integer literal, at least 1. **Default**: 2 failures, 3 for what is `remote` and `hard`; 1 success.
///
/// How many in a row it takes until it is down, or up again.
///
/// # `max_stale`
///
/// **Type**: duration, at least `cache` and `timeout` together. **Default**: 3 × `cache`.
///
/// How old a result may be before it is trusted no more. In liveness it is 5 minutes at least.
///
/// # `initial_delay`
///
/// **Type**: duration. **Default**: none.
///
/// From the start of the service to the first run; until then the check is pending.
///
/// ```
/// # use instrument_inference::health_check;
/// #[health_check(
///     cache = "10s",
///     timeout = "1s",
///     refresh = "4s",
///     confirm = "500ms",
///     failures = 3,
///     successes = 2,
///     max_stale = "1m",
///     initial_delay = "5s"
/// )]
/// fn patient() -> bool {
///     true
/// }
/// ```
///
/// # `crate`
///
/// **Type** and **default**: as for [`inference_stage`].
pub use instrument_macros::health_check;

/// A check by the path of its function, for [`TelemetryBuilder::checks`]. It is the one that is linked: given twice it is
/// one check.
///
/// ```
/// use instrument_inference::check;
///
/// mod tokenizer {
///     #[instrument_inference::health_check]
///     pub fn loaded() {}
/// }
///
/// let checks = [check!(tokenizer::loaded)];
/// # assert!(format!("{:?}", checks[0]).contains("\"loaded\""));
/// ```
///
/// The path goes to where the function is defined: its check stands beside it, under a hidden name. `use
/// tokenizer::loaded` does not bring that along, so `check!(loaded)` does not compile after it, and neither does a name
/// that `use … as` gives; `use tokenizer::*` does.
#[cfg(feature = "health")]
pub use instrument_macros::check;

/// Makes an enum a label: its variants are the values, in `snake_case`.
///
/// ```
/// use instrument_inference::{LabelValue, inference_stage};
///
/// #[derive(LabelValue)]
/// enum Precision {
///     Int8,  // int8
///     Half,  // half
///     #[label("float 32")]
///     Full,
/// }
///
/// #[inference_stage("execute", labels(precision = precision))]
/// fn execute(precision: Precision) {}
/// # assert_eq!(Precision::Half.value(), Some("half"));
/// # assert_eq!(Precision::Full.value(), Some("float 32"));
/// # execute(Precision::Int8);
/// ```
///
/// Each value of a label is a time series that every scraper keeps, so how many there can be must be known from the
/// type. It is for an enum whose variants have no fields, with as many variants as you like; for anything else it does
/// not compile. Texts that are known only at run time come from a [`LabelSet`], which has a limit; what identifies one
/// request belongs in a span or a log.
///
/// To leave the label out where there is no value, use an `Option`.
///
/// # `#[label("text")]`, on a variant
///
/// **Type**: string literal of 1 to 128 bytes, without control characters. **Default**: the variant's name in
/// `snake_case`: `HTTPStatus` is `http_status`, `r#type` is `type`.
///
/// Another text for the value. Two variants with the same one would be the same time series and do not compile.
///
/// # `#[label(crate = path)]`, on the enum
///
/// **Type**: absolute path. **Default**: `::instrument_inference`.
///
/// As for [`inference_stage`].
pub use instrument_macros::LabelValue;

/// Says which [`ErrorType`] an error is, variant by variant.
///
/// ```
/// use instrument_inference::{Classify, ErrorType};
/// # use std::io;
///
/// #[derive(Debug, Classify)]
/// enum PredictError {
///     #[classify(invalid_input)]
///     NotAnImage,
///     #[classify(cuda_oom)]
///     OutOfMemory { wanted: u64 },
///     #[classify(source)]
///     Store(io::Error),
/// }
/// # #[cfg(feature = "metrics")] {
/// assert_eq!(PredictError::NotAnImage.error_type(), ErrorType::InvalidInput);
///
/// let gone = io::Error::from(io::ErrorKind::ConnectionRefused);
/// assert_eq!(PredictError::Store(gone).error_type(), ErrorType::Unavailable);
/// # }
/// ```
///
/// For enums and structs, beside `thiserror` or without it. What none of its variants can say, such as what a number
/// means, is for an implementation by hand.
///
/// # `#[classify(TYPE)]`, on a variant or a struct
///
/// **Type**: one of `invalid_input`, `model_load`, `cuda_oom`, `resource_exhausted`, `rate_limited`,
/// `dependency_timeout`, `deadline_exceeded`, `device_fault`, `unavailable` and `internal`. **Required**, unless the
/// enum has a default.
///
/// # `#[classify(source)]`, on a variant or a struct
///
/// **Type**: bare word, in the place of an error type.
///
/// The inner error says which type it is. That is the field marked `#[source]` or `#[from]`, else the one that is
/// called `source`, else the only one. It is asked as every error is: through [`Classify`](trait@Classify), else
/// through its chain of sources, else it is `internal`.
///
/// ```
/// # use instrument_inference::Classify;
/// # use std::io;
/// #[derive(Classify)]
/// #[classify(source)]
/// struct LoadError {
///     model: String,
///     #[source]
///     cause: io::Error,
/// }
/// ```
///
/// # `#[classify(TYPE)]`, on an enum
///
/// **Type**: as on a variant. **Default**: none.
///
/// For all variants that say nothing.
///
/// ```
/// # use instrument_inference::Classify;
/// #[derive(Classify)]
/// #[classify(internal)]
/// enum PredictError {
///     #[classify(invalid_input)]
///     NotAnImage,
///     Shape(usize, usize),
///     Unknown,
/// }
/// ```
///
/// # `#[classify(crate = path)]`
///
/// **Type**: absolute path. **Default**: `::instrument_inference`.
///
/// As for [`inference_stage`].
pub use instrument_macros::Classify;

#[cfg(feature = "testing")]
pub use instrument_runtime::testing;
pub use instrument_runtime::{
    Buckets, Classify, ErrorType, Label, LabelSet, LabelValue, Level, Outcome, Rejection, ToOutcome,
};
#[cfg(feature = "metrics")]
pub use instrument_runtime::{
    CATALOG, Carried, Entered, FinishReason, InScope, MeasureTokens, Measured, Members, Metric,
    MetricKind, RequestContext, Sequence, TokenCount, TokenKind, TraceId, carry, carry_async,
    queue, spawn, spawn_blocking,
};
#[cfg(any(feature = "metrics", feature = "health"))]
pub use instrument_runtime::{
    CheckError, ConfigError, DeviceEvent, DeviceReading, DeviceStats, FlushError, InstallError,
    ModelSlot, ServeLimits, Telemetry, TelemetryBuilder,
};
#[cfg(feature = "health")]
pub use instrument_runtime::{
    Group, Health, HealthReport, HealthStatus, Reason, ToHealth, Verdict, check_is_overdue, reason,
};
#[cfg(feature = "tower")]
pub use instrument_runtime::{
    MeasuredBody, RequestLayer, RequestService, ResponseFuture, TimeLimit,
};
#[cfg(feature = "prometheus")]
pub use instrument_runtime::{Summary, SummaryRow};

/// The README's code runs.
#[cfg(doctest)]
#[cfg(all(feature = "prometheus", feature = "http"))]
#[doc = include_str!("../README.md")]
#[derive(Debug)]
pub struct Readme;
