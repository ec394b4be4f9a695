//! A service that reads handwritten digits, and what it takes to see inside: `cargo run --release --example quickstart`.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, routing::post};
use instrument_examples::digits::{Answer, Classifier, Image, ImageError, ModelError};
use instrument_examples::quickstart::{Flags, demo, greet};
use instrument_examples::report;
use instrument_examples::server::{Server, Signals};
use instrument_examples::workers::{Turn, Workers};
use instrument_inference::{
    Classify, ErrorType, ModelSlot, Telemetry, inference_request, inference_stage,
};

#[derive(Clone)]
struct App {
    slot: ModelSlot,
    classifier: Arc<Classifier>,
    workers: Workers,
}

#[inference_request(ingress = "http", model = &app.slot)]
async fn predict(State(app): State<App>, upload: Upload) -> Result<Json<Answer>, Failure> {
    let turn = app.workers.turn().await; // a stage too: `queue`
    let image = preprocess(&turn, upload?).await?;
    let logits = execute(&turn, app.classifier, image).await?;
    Ok(Json(postprocess(&logits)))
}

#[inference_stage("preprocess")]
async fn preprocess(turn: &Turn, upload: Bytes) -> Result<Image, Failure> {
    Ok(turn.run(move || Image::decode(&upload)).await?)
}

#[inference_stage("execute", objective = "5ms")]
async fn execute(turn: &Turn, model: Arc<Classifier>, image: Image) -> Result<[f32; 10], Failure> {
    Ok(turn.run(move || model.execute(&[image])).await?[0])
}

#[inference_stage("postprocess")]
fn postprocess(logits: &[f32; 10]) -> Answer {
    Answer::from_logits(logits)
}

#[derive(Debug, thiserror::Error)]
#[error(transparent)]
enum Failure {
    Upload(#[from] BytesRejection),
    Picture(#[from] ImageError),
    Model(#[from] ModelError),
}

impl Classify for Failure {
    fn error_type(&self) -> ErrorType {
        match self {
            Failure::Upload(_) | Failure::Picture(_) => ErrorType::InvalidInput,
            Failure::Model(_) => ErrorType::Internal,
        }
    }
}

fn router(app: App) -> Router {
    Router::new()
        .route("/predict", post(predict).layer(UPLOAD_LIMIT))
        .with_state(app)
}

/// The body as it came. A `Result`, so that what is too large or breaks off reaches the handler, and the metrics.
type Upload = Result<Bytes, BytesRejection>;

/// A picture of the largest size that is decoded has rarely more.
const UPLOAD_LIMIT: DefaultBodyLimit = DefaultBodyLimit::max(16 << 20);

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, text) = match &self {
            Failure::Upload(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                let text = "the upload is larger than the 16 MiB that are accepted";
                (StatusCode::PAYLOAD_TOO_LARGE, text.to_owned())
            }
            Failure::Upload(rejection) => (rejection.status(), report::chain(&self)),
            Failure::Picture(_) => (StatusCode::BAD_REQUEST, report::chain(&self)),
            Failure::Model(_) => {
                // What went wrong inside is nobody's business outside.
                eprintln!("error: {}", report::chain(&self));
                let text = "the model failed";
                (StatusCode::INTERNAL_SERVER_ERROR, text.to_owned())
            }
        };
        (status, Json(serde_json::json!({ "error": text }))).into_response()
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    match Flags::from_args() {
        Ok(flags) => report::exit_code(run(&flags).await),
        Err(code) => code,
    }
}

async fn run(flags: &Flags) -> Result<(), Box<dyn Error + Send + Sync>> {
    let signals = Signals::catch()?;
    let telemetry = Telemetry::builder("digits")
        .metrics_addr(flags.metrics())
        .from_env()
        .install()?;
    let app = App {
        slot: telemetry.model("digits", "1"),
        classifier: Arc::new(flags.load()?),
        workers: Workers::one_per_processor(),
    };
    let server = Server::bind(flags.http()).await?;
    let http = server.addr();
    greet(http, telemetry.metrics_addr(), !flags.demo);
    let stop = async {
        tokio::select! {
            () = signals.received() => Ok(()),
            shown = demo(http, &telemetry), if flags.demo => shown,
        }
    };
    let stopped = server.serve(router(app), stop).await;
    telemetry.shutdown().await?;
    Ok(stopped??)
}
