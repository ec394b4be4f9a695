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
use instrument_examples::quickstart::{Flags, User, demo, greet, versions};
use instrument_examples::report;
use instrument_examples::server::{Server, Signals};
use instrument_examples::workers::{Thread, Turn, Workers};
use instrument_inference::queue::{Batch, Caller, Refused, Worker, batcher};
use instrument_inference::{
    Classify, LabelSet, ModelSlot, Telemetry, inference_request, inference_stage,
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
    let signals = Signals::catch()?;
    let telemetry = Telemetry::builder("digits")
        .metrics_addr(flags.metrics())
        .from_env()
        .install()?;
    let (mut routes, mut threads) = (Router::new(), Vec::new());
    for version in versions(flags) {
        let (app, thread) = load(flags, &telemetry, version.name, version.max_batch)?;
        routes = match version.path {
            "" => routes.merge(router(app)),
            path => routes.nest(path, router(app)),
        };
        threads.push(thread);
    }
    let routes = routes.layer(telemetry.request_layer("http"));
    let server = Server::bind(flags.http()).await?;
    let http = server.addr();
    greet(http, telemetry.metrics_addr(), !flags.demo);
    let stop = async {
        tokio::select! {
            () = signals.received() => Ok(()),
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
    telemetry.shutdown().await?;
    Ok(stopped??)
}

/// A version of the model, the queue in front of it, and the thread that runs it.
fn load(
    flags: &Flags,
    telemetry: &Telemetry,
    version: &str,
    max_batch: usize,
) -> Result<(App, Thread), Anything> {
    let slot = telemetry.model("digits", version).platform("onnx");
    let model = slot.load(|| flags.load())?;
    let (batcher, worker) = batcher("batcher", flags.capacity);
    let batcher = batcher.model(&slot);
    let patience = flags.patience;
    let thread = Thread::spawn("digits", move || work(&model, &worker, max_batch, patience))?;
    let workers = Workers::one_per_processor();
    let app = App {
        slot,
        batcher,
        workers,
    };
    Ok((app, thread))
}
