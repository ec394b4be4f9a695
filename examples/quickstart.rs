//! A service that reads handwritten digits, and what it takes to see inside: `cargo run --release --example quickstart`.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, routing::post};
use instrument_examples::digits::{Answer, Classifier, Image, ImageError, ModelError};
use instrument_examples::quickstart::{Flags, User, Version, demo, greet, versions};
use instrument_examples::report;
use instrument_examples::server::Server;
use instrument_examples::workers::{Thread, Turn, Workers};
use instrument_inference::queue::{Batch, Caller, Refused, Worker, batcher};
use instrument_inference::{
    Classify, Health, LabelSet, ModelSlot, Telemetry, health_check, inference_request,
    inference_stage, reason,
};
use tokio::time::timeout;

#[derive(Clone)]
struct App {
    slot: ModelSlot,
    batcher: Caller<Image, Logits>,
    workers: Workers,
}

static TENANTS: LabelSet = LabelSet::capped("tenant", 20);

#[inference_request(model = &app.slot, tenant = TENANTS.admit(user.tenant()))]
async fn predict(State(app): State<App>, user: User, png: Upload) -> Result<Json<Answer>, Failure> {
    let image = preprocess(png?, app.workers.turn().await).await?;
    let logits = app.batcher.call(image).await??; // the stages `queue` and, over there, `execute`
    Ok(Json(postprocess(&logits)))
}

#[inference_stage("preprocess")]
async fn preprocess(png: Bytes, turn: Turn) -> Result<Image, Failure> {
    Ok(turn.run(move || Image::decode(&png)).await?)
}

/// On a thread of its own, until every caller is gone.
fn work(model: &Classifier, worker: &Worker<Image, Logits>, max: usize, patience: Duration) {
    while let Some(batch) = worker.next_blocking(max, patience) {
        let answers = execute(model, &batch);
        batch.finish(answers);
    }
}

#[inference_stage("execute", batch = batch, objective = "5ms")]
fn execute(model: &Classifier, batch: &Batch<Image, Logits>) -> Vec<Logits> {
    match model.execute(batch.inputs().as_slice()) {
        Ok(all) => all.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(Arc::new(error)); batch.len()],
    }
}

#[inference_stage("postprocess")]
fn postprocess(logits: &[f32; 10]) -> Answer {
    Answer::from_logits(logits)
}

/// What it once read it still reads. Past the queue: a service that is busy is not ill.
#[health_check(model = "digits", cache = "5s", timeout = "500ms")]
fn reads_seven(model: &Arc<Classifier>) -> Result<Health, Anything> {
    let logits = model.execute(&[Image::decode(SEVEN)?])?;
    match Answer::from_logits(&logits[0]).digit {
        7 => Ok(Health::up()),
        _ => Ok(Health::down(reason!("golden_failing"))),
    }
}

/// Without it requests wait, and are answered: worth a look, and no reason to leave.
#[health_check(soft, cache = "5s", timeout = "1s")]
async fn workers_free(workers: &Workers) {
    workers.free().await;
}

#[derive(Debug, thiserror::Error, Classify)]
#[classify(internal)] // but a queue that is full notes so in the request, and that counts
#[error(transparent)]
enum Failure {
    #[classify(invalid_input)]
    Upload(#[from] BytesRejection),
    #[classify(invalid_input)]
    Picture(#[from] ImageError),
    Refused(#[from] Refused),
    Model(#[from] Arc<ModelError>),
}

const SEVEN: &[u8] = include_bytes!("models/seven.png");

/// What each image gets. Shared, because an execution that fails fails all images of its batch.
type Logits = Result<[f32; 10], Arc<ModelError>>;

/// The body as it came. A `Result`, so that what is too large or breaks off is answered like all that goes wrong.
type Upload = Result<Bytes, BytesRejection>;

/// A picture of the largest size that is decoded has rarely more.
const UPLOAD_LIMIT: DefaultBodyLimit = DefaultBodyLimit::max(16 << 20);

fn router(app: App) -> Router {
    Router::new()
        .route("/predict", post(predict).layer(UPLOAD_LIMIT))
        .with_state(app)
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let text = report::chain(&self);
        let (status, text) = match &self {
            Failure::Upload(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                let text = "the upload is larger than the 16 MiB that are accepted";
                (StatusCode::PAYLOAD_TOO_LARGE, text.to_owned())
            }
            Failure::Upload(rejection) => (rejection.status(), text),
            Failure::Picture(_) => (StatusCode::BAD_REQUEST, text),
            // Not 429: it is not this client who has sent too much, and all may come back.
            Failure::Refused(Refused::Full | Refused::Draining) => {
                (StatusCode::SERVICE_UNAVAILABLE, text)
            }
            Failure::Refused(_) | Failure::Model(_) => {
                // What went wrong inside is nobody's business outside.
                eprintln!("error: {text}");
                let text = "the model failed";
                (StatusCode::INTERNAL_SERVER_ERROR, text.to_owned())
            }
        };
        (status, Json(serde_json::json!({ "error": text }))).into_response()
    }
}

/// How long a thread may take to see that all callers are gone. Only a handler that hangs keeps one.
const LAST_BATCH: Duration = Duration::from_secs(5);

type Anything = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    match Flags::from_args() {
        Ok(flags) => report::exit_code(run(&flags).await),
        Err(code) => code,
    }
}

async fn run(flags: &Flags) -> Result<(), Anything> {
    let workers = Workers::one_per_processor();
    let telemetry = Telemetry::builder("digits")
        .health_addr(flags.health())
        .metrics_addr(flags.metrics())
        .control_addr(flags.control())
        .reflection(true) // so that grpcurl needs nothing but the address
        .drain_delay(flags.drain_delay())
        .handle_signals()
        .provide(workers.clone())
        .from_env()
        .install()?;
    let (mut routes, mut threads) = (Router::new(), Vec::new());
    for version in versions(flags) {
        let (app, thread) = load(flags, &telemetry, version, &workers)?;
        routes = match version.path {
            "" => routes.merge(router(app)),
            path => routes.nest(path, router(app)),
        };
        threads.push(thread);
    }
    let routes = routes.layer(telemetry.request_layer("http"));
    let server = Server::bind(flags.http()).await?;
    let http = server.addr();
    // Without it, whoever asks at once is told that the service has only begun.
    telemetry.refresh("reads_seven").await;
    greet(http, &telemetry, !flags.demo);
    let stop = async {
        tokio::select! {
            () = telemetry.draining() => Ok(()),
            shown = demo(http, &telemetry, flags), if flags.demo => shown,
        }
    };
    // With the routes their callers go, and without callers the threads end.
    let stopped = server.serve(routes, stop).await;
    for thread in threads {
        if timeout(LAST_BATCH, thread.ended()).await.is_err() {
            eprintln!("a model still had callers {LAST_BATCH:?} after the stop; it is left behind");
        }
    }
    // A collector that is away is no reason to end badly.
    if let Err(error) = telemetry.shutdown().await {
        eprintln!("warning: {error}");
    }
    Ok(stopped??)
}

/// A version of the model, the queue in front of it, and the thread that runs it.
fn load(
    flags: &Flags,
    telemetry: &Telemetry,
    version: Version,
    workers: &Workers,
) -> Result<(App, Thread), Anything> {
    let slot = telemetry.model("digits", version.name).platform("onnx");
    let model = Arc::new(slot.load(|| flags.load())?);
    telemetry.provide(Arc::clone(&model));
    let (batcher, worker) = batcher("batcher", flags.capacity);
    let batcher = batcher.model(&slot);
    let (max, patience) = (version.max_batch, flags.patience);
    let thread = Thread::spawn("digits", move || work(&model, &worker, max, patience))?;
    let workers = workers.clone();
    let app = App {
        slot,
        batcher,
        workers,
    };
    Ok((app, thread))
}
