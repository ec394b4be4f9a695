//! The layer that owns requests, as the telemetry hands it out.

use crate::request::layer::RequestLayer;
use crate::runtime::telemetry::Telemetry;

impl Telemetry {
    /// A tower layer that owns requests, from their headers to the end of the answer's body. `ingress` is `"http"`
    /// or `"grpc"`; any other word is a label of its own, with the rules of HTTP.
    ///
    /// A handler alone sees neither a malformed body that never reaches it nor what becomes of its answer. Inside
    /// the layer its `#[inference_request]` joins the request and adds the model and what it knows of an error:
    ///
    /// ```
    /// use axum::{Router, routing::post};
    /// # use instrument_runtime as instrument_inference;
    /// use instrument_inference::Telemetry;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let telemetry = Telemetry::builder("sentiment-api").install()?;
    /// telemetry.model("sentiment", "2024.06.15");
    ///
    /// let app: Router = Router::new()
    ///     .route("/predict", post(|text: String| async move { text.len().to_string() }))
    ///     .layer(telemetry.request_layer("http").timeout("2s"));
    /// # let request = axum::http::Request::post("/predict").body(axum::body::Body::from("lovely"))?;
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// # let answer = tower::ServiceExt::oneshot(app, request).await.unwrap();
    /// # assert_eq!(axum::body::to_bytes(answer.into_body(), 10).await.unwrap(), "6");
    /// # });
    /// # let scrape = telemetry.scrape();
    /// # assert!(scrape.contains(r#"inference_requests_total{ingress="http",model="sentiment",outcome="ok",version="2024.06.15"} 1"#), "{scrape}");
    /// # telemetry.shutdown_blocking(std::time::Duration::from_secs(5))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Put it outside of whatever may refuse a request, so that refusals are counted: with axum, after all routes
    /// and before the layers that are to stay outside; with tonic, `Server::builder().layer(…)`, and outside of it
    /// a layer for gRPC-Web, whose answers have no trailers to read. Of two layers around each other the outer
    /// one owns the request; the inner one's [`timeout`](RequestLayer::timeout) holds all the same.
    ///
    /// Measured is, beside what `#[inference_request]` measures, the stage `ingress`: from the headers to the
    /// handler, or to the head of the answer where no handler has joined. The outcome is that of the status code
    /// (for gRPC of `grpc-status`), unless the handler has returned an error whose type says more. An answer that is
    /// dropped before its end is `cancelled`.
    ///
    /// Where the telemetry is disabled, the layer records nothing.
    pub fn request_layer(&self, ingress: &'static str) -> RequestLayer {
        RequestLayer::new(
            self.recording().map(|recording| &recording.recorder),
            ingress,
        )
    }
}
