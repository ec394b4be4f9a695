//! `/metrics`.

use crate::export::prometheus::Scrape;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Mutex;

/// The Prometheus text format, version 0.0.4.
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Answers scrapes. One is made at a time; who asked before it was begun gets the same.
#[derive(Debug)]
struct Metrics {
    scrape: Scrape,
    latest: Mutex<Option<Rendered>>,
}

#[derive(Debug, Clone)]
struct Rendered {
    begun: Instant,
    names: Arc<[String]>,
    text: Bytes,
}

/// The routes of the metrics address.
pub(crate) fn router(scrape: Scrape) -> Router {
    let metrics = Arc::new(Metrics {
        scrape,
        latest: Mutex::new(None),
    });
    Router::new()
        .route("/metrics", get(answer))
        .with_state(metrics)
}

async fn answer(
    State(metrics): State<Arc<Metrics>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let names = names(query.as_deref().unwrap_or_default());
    let text = match metrics.render(names.into()).await {
        Ok(text) => text,
        Err(reason) => return (StatusCode::INTERNAL_SERVER_ERROR, reason).into_response(),
    };
    if wants_gzip(&headers)
        && let Some(zipped) = gzip(&text)
    {
        return (
            [
                (CONTENT_TYPE, TEXT),
                (CONTENT_ENCODING, HeaderValue::from_static("gzip")),
                (VARY, HeaderValue::from_static("accept-encoding")),
            ],
            zipped,
        )
            .into_response();
    }
    (
        [
            (CONTENT_TYPE, TEXT),
            (VARY, HeaderValue::from_static("accept-encoding")),
        ],
        text,
    )
        .into_response()
}

impl Metrics {
    async fn render(self: Arc<Metrics>, names: Arc<[String]>) -> Result<Bytes, String> {
        // a task of its own: what was begun for a client that hangs up serves the next one, instead of being done again
        let rendering = tokio::spawn(self.render_once(Instant::now(), names));
        rendering
            .await
            .map_err(|_| "the scrape panicked".to_owned())?
    }

    async fn render_once(
        self: Arc<Metrics>,
        asked: Instant,
        names: Arc<[String]>,
    ) -> Result<Bytes, String> {
        let mut latest = self.latest.lock().await;
        if let Some(known) = latest.as_ref()
            && known.begun >= asked
            && known.names == names
        {
            return Ok(known.text.clone());
        }
        let begun = Instant::now();
        let (scrape, wanted) = (self.scrape.clone(), Arc::clone(&names));
        // off this thread: the others are to be heard meanwhile
        let rendered = tokio::task::spawn_blocking(move || scrape.text(&wanted)).await;
        let text = Bytes::from(rendered.map_err(|_| "the scrape panicked".to_owned())??);
        *latest = Some(Rendered {
            begun,
            names,
            text: text.clone(),
        });
        Ok(text)
    }
}

/// The values of `name[]` in a query.
fn names(query: &str) -> Vec<String> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    pairs
        .filter(|(key, _)| key == "name[]")
        .map(|(_, value)| value.into_owned())
        .collect()
}

fn wants_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let named = parts
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        // `;q=0` refuses it
        named
            && parts.all(|part| {
                !matches!(
                    part.replace(' ', "").as_str(),
                    "q=0" | "q=0.0" | "q=0.00" | "q=0.000"
                )
            })
    })
}

fn gzip(text: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_the_query() {
        assert_eq!(names("name%5B%5D=a&x=1&name[]=b"), ["a", "b"]);
        assert!(names("").is_empty() && names("name=a").is_empty());
    }

    #[test]
    fn gzip_is_sent_only_to_who_accepts_it() {
        let accepts = |value: &'static str| {
            wants_gzip(&HeaderMap::from_iter([(
                ACCEPT_ENCODING,
                HeaderValue::from_static(value),
            )]))
        };
        assert!(accepts("gzip") && accepts("deflate, GZIP;q=0.5"));
        assert!(!accepts("deflate") && !accepts("gzip;q=0") && !accepts("gzip; q=0.0"));
        assert!(!wants_gzip(&HeaderMap::new()));
    }
}
