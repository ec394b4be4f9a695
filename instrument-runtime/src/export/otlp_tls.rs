//! TLS for both transports, by rustls: whom to trust, and who we are.

use crate::export::otlp_env::{Certificates, Pushing};
use hyper_rustls::{ConfigBuilderExt, HttpsConnectorBuilder};
use opentelemetry_http::HttpClient;
use opentelemetry_http::hyper::HyperClient;
use rustls::client::WantsClientCert;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

fn of(path: &Path, error: impl Display) -> String {
    format!("{}: {error}", path.display())
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| of(path, error))
}

/// For gRPC.
///
/// # Errors
/// When a certificate or key cannot be used.
pub(crate) fn grpc(certificates: &Certificates) -> Result<ClientTlsConfig, String> {
    let mut tls = match &certificates.authorities {
        Some(path) => {
            // only looked at: it would be taken as it is, and fail with the first push
            authorities(path)?;
            ClientTlsConfig::new().ca_certificate(Certificate::from_pem(bytes(path)?))
        }
        None => ClientTlsConfig::new().with_native_roots(),
    };
    if let Some((certificate, key)) = &certificates.client {
        identity(certificate, key)?;
        tls = tls.identity(Identity::from_pem(bytes(certificate)?, bytes(key)?));
    }
    Ok(tls)
}

/// For HTTP.
///
/// # Errors
/// When a certificate or key cannot be used.
pub(crate) fn http(pushing: &Pushing) -> Result<impl HttpClient + use<>, String> {
    // named, not the process's default: there may be none, or two to choose from
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let certificates = &pushing.certificates;
    let trusting: ConfigBuilder<ClientConfig, WantsClientCert> =
        match (&certificates.authorities, pushing.is_secure()) {
            (Some(path), true) => config.with_root_certificates(authorities(path)?),
            (None, true) => config
                .with_native_roots()
                .map_err(|error| error.to_string())?,
            // nobody to trust, nothing to read
            (_, false) => config.with_root_certificates(RootCertStore::empty()),
        };
    let tls = match &certificates.client {
        Some((certificate, key)) if pushing.is_secure() => {
            let (chain, secret) = identity(certificate, key)?;
            let known = trusting.with_client_auth_cert(chain, secret);
            known.map_err(|error| of(certificate, error))?
        }
        _ => trusting.with_no_client_auth(),
    };
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_http1()
        .build();
    Ok(HyperClient::new(connector, pushing.timeout, None))
}

fn authorities(path: &Path) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let (trusted, _) = roots.add_parsable_certificates(chain(path)?);
    if trusted == 0 {
        return Err(of(path, "there is no certificate in it"));
    }
    Ok(roots)
}

type Identified = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn identity(certificate: &Path, key: &Path) -> Result<Identified, String> {
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| of(key, error))?;
    Ok((chain(certificate)?, secret))
}

fn chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| of(path, error))
}
