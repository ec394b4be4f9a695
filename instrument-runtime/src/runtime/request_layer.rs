//! The layer that owns requests, as the telemetry hands it out.

use crate::notice;
use crate::request::layer::RequestLayer;
use crate::runtime::telemetry::Telemetry;
use crate::spelling;
use std::panic::Location;

/// The words that choose a protocol, and those beside them that are meant as they are.
const PROTOCOLS: [&str; 2] = ["http", "grpc"];
const OTHERS: [&str; 5] = ["https", "http1", "http2", "http3", "grpcs"];

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
    /// (for gRPC of `grpc-status`), unless the handler has returned an error whose type says more; `internal` says less
    /// than the code of a failure. An answer that is dropped before its end is `cancelled`.
    ///
    /// A caller that sends the header `traceparent` of W3C Trace Context, for gRPC the metadata of that name, says which
    /// trace the request belongs to: [`RequestContext::trace_id`](crate::RequestContext::trace_id), and `trace_id` in the
    /// request's span and in the event of a request that fails. Two such headers, or one that breaks the rules, are as
    /// if they were absent. Anybody can send one, so with `tracing-opentelemetry` the caller's span becomes a link of the
    /// request's span and not its parent. (Where that crate's `with_context_activation` is off, the field is all there
    /// is.) A service that trusts its callers extracts the context with OpenTelemetry's propagator in a layer outside of
    /// this one, and what is current there is the parent.
    ///
    /// Where the telemetry is disabled, the layer records nothing.
    ///
    /// A word that is nearly `http` or `grpc`, such as `"gprc"`, is taken as it is, and named on standard error.
    #[track_caller]
    pub fn request_layer(&self, ingress: &'static str) -> RequestLayer {
        if let Some(meant) = meant(ingress) {
            notice::report(&format!(
                "request_layer({ingress:?}) at {}: the requests of this layer get the rules of HTTP and the label \
                 ingress={ingress:?}. Did you mean {meant:?}?",
                Location::caller()
            ));
        }
        RequestLayer::new(
            self.recording().map(|recording| &recording.recorder),
            ingress,
        )
    }
}

/// The protocol that `ingress` nearly names.
fn meant(ingress: &str) -> Option<&'static str> {
    let word = ingress.to_ascii_lowercase();
    if PROTOCOLS.contains(&ingress) || OTHERS.contains(&word.as_str()) {
        return None;
    }
    let same = PROTOCOLS.into_iter().find(|protocol| *protocol == word);
    same.or_else(|| spelling::nearest(&word, &PROTOCOLS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nearly_names_a_protocol_was_meant_to() {
        for (word, protocol) in [
            ("htpp", "http"),
            ("HTTP", "http"),
            ("gprc", "grpc"),
            ("gRPC", "grpc"),
        ] {
            assert_eq!(meant(word), Some(protocol), "{word}");
        }
        for word in ["http", "grpc", "https", "HTTP2", "queue", "kafka", ""] {
            assert_eq!(meant(word), None, "{word}");
        }
    }
}
