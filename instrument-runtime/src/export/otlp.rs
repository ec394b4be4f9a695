//! The exporter for OTLP, made from plain settings: the only place that knows the exporter's crate.
//!
//! It is made, and used, within the runtime of the thread that pushes. It reads the environment by itself, also where
//! nobody said that the environment counts, so everything that it would read there is given, and the headers are
//! replaced by ours on their way out.

use crate::export::otlp_env::{Protocol, Pushing};
use crate::export::otlp_http;
use http::header::USER_AGENT;
use opentelemetry_otlp::tonic_types::metadata::MetadataMap;
use opentelemetry_otlp::{
    Compression, MetricExporter, MetricExporterBuilder, Protocol as Wire, TonicExporterBuilderSet,
    WithExportConfig, WithHttpConfig, WithTonicConfig,
};
use opentelemetry_sdk::error::OTelSdkError;
use opentelemetry_sdk::metrics::data::ResourceMetrics;
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use std::fmt;
use std::sync::Arc;

/// Pushes, over connections of its own.
pub(crate) struct Exporter {
    exporter: MetricExporter,
    trouble: Arc<otlp_http::Trouble>,
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").finish_non_exhaustive()
    }
}

impl Exporter {
    /// Within the runtime that will drive it. Connects with the first push.
    ///
    /// # Errors
    /// When a certificate cannot be used.
    pub(crate) fn new(pushing: &Pushing) -> Result<Exporter, String> {
        let trouble = Arc::default();
        let exporter = match pushing.protocol {
            Protocol::Grpc => grpc(pushing),
            Protocol::Http => http(pushing, &trouble),
        }?;
        Ok(Exporter { exporter, trouble })
    }

    /// Pushes, with retries.
    ///
    /// # Errors
    /// When it has not arrived.
    pub(crate) async fn export(&self, metrics: &ResourceMetrics) -> Result<(), String> {
        let result = self.exporter.export(metrics).await;
        result.map_err(|error| {
            let reason = match error {
                OTelSdkError::InternalFailure(reason) => reason,
                other => other.to_string(),
            };
            match self.trouble.take() {
                Some(trouble) => format!("{reason}: {trouble}"),
                None => reason,
            }
        })
    }
}

fn grpc(pushing: &Pushing) -> Result<MetricExporter, String> {
    let headers = pushing.headers.clone();
    let ours = move |mut request: tonic::Request<()>| {
        let mut all = headers.clone();
        let agent = request.metadata().get(USER_AGENT.as_str());
        if let Some(agent) = agent.and_then(|agent| agent.to_str().ok()?.parse().ok()) {
            all.insert(USER_AGENT, agent);
        }
        *request.metadata_mut() = MetadataMap::from_headers(all);
        Ok(request)
    };
    let mut builder = MetricExporter::builder()
        .with_tonic()
        .with_protocol(Wire::Grpc)
        .with_endpoint(&pushing.endpoint)
        .with_timeout(pushing.timeout)
        .with_temporality(pushing.temporality)
        .with_interceptor(ours);
    if pushing.gzip {
        builder = builder.with_compression(Compression::Gzip);
    }
    let secured = secured(builder, pushing)?;
    secured.build().map_err(|error| error.to_string())
}

type GrpcBuilder = MetricExporterBuilder<TonicExporterBuilderSet>;

#[cfg(feature = "otlp-tls")]
fn secured(builder: GrpcBuilder, pushing: &Pushing) -> Result<GrpcBuilder, String> {
    if !pushing.is_secure() {
        return Ok(builder);
    }
    let tls = crate::export::otlp_tls::grpc(&pushing.certificates)?;
    Ok(builder.with_tls_config(tls))
}

#[cfg(not(feature = "otlp-tls"))]
#[expect(clippy::unnecessary_wraps, reason = "as with the feature")]
fn secured(builder: GrpcBuilder, _: &Pushing) -> Result<GrpcBuilder, String> {
    Ok(builder)
}

fn http(pushing: &Pushing, trouble: &Arc<otlp_http::Trouble>) -> Result<MetricExporter, String> {
    let client = otlp_http::client(pushing, trouble)?;
    let mut builder = MetricExporter::builder()
        .with_http()
        .with_protocol(Wire::HttpBinary)
        .with_endpoint(&pushing.endpoint)
        .with_timeout(pushing.timeout)
        .with_temporality(pushing.temporality)
        .with_http_client(client);
    if pushing.gzip {
        builder = builder.with_compression(Compression::Gzip);
    }
    builder.build().map_err(|error| error.to_string())
}
