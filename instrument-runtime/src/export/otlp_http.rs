//! The HTTP client of the exporter: ours, because the exporter would choose one by features that anybody in the
//! dependency graph may turn on, and would say of an error only that there was one.

use crate::export::otlp_env::Pushing;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, USER_AGENT};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use std::sync::{Arc, Mutex, PoisonError};

/// Why the last request did not get an answer.
#[derive(Debug, Default)]
pub(crate) struct Trouble(Mutex<Option<String>>);

impl Trouble {
    pub(crate) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, trouble: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}

/// # Errors
/// When a certificate cannot be used.
pub(crate) fn client(
    pushing: &Pushing,
    trouble: &Arc<Trouble>,
) -> Result<impl HttpClient + use<>, String> {
    Ok(Client {
        inner: transport(pushing)?,
        headers: pushing.headers.clone(),
        trouble: Arc::clone(trouble),
    })
}

#[cfg(feature = "otlp-tls")]
fn transport(pushing: &Pushing) -> Result<impl HttpClient + use<>, String> {
    crate::export::otlp_tls::http(pushing)
}

#[cfg(not(feature = "otlp-tls"))]
#[expect(clippy::unnecessary_wraps, reason = "as with the feature")]
fn transport(pushing: &Pushing) -> Result<impl HttpClient + use<>, String> {
    use opentelemetry_http::hyper::HyperClient;

    Ok(HyperClient::with_default_connector(pushing.timeout, None))
}

#[derive(Debug)]
struct Client<C> {
    inner: C,
    headers: HeaderMap,
    trouble: Arc<Trouble>,
}

#[async_trait::async_trait]
impl<C: HttpClient> HttpClient for Client<C> {
    async fn send_bytes(&self, mut request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let mut headers = self.headers.clone();
        for name in [CONTENT_TYPE, CONTENT_ENCODING, USER_AGENT] {
            if let Some(value) = request.headers().get(&name) {
                headers.insert(name, value.clone());
            }
        }
        *request.headers_mut() = headers;
        let answer = self.inner.send_bytes(request).await;
        self.trouble.put(answer.as_ref().err().map(chain));
        answer
    }
}

/// An error and what caused it.
fn chain(error: &HttpError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    text
}
