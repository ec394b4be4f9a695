//! Pushing over TLS: whom we trust, and who we are, as the standard variables say.

use crate::collector::{Collector, PROTOCOLS, Speaks};
use crate::peer::Scratch;
use crate::story::{self, PATIENCE};
use crate::{block_on, builder};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};

struct Authority(CertifiedIssuer<'static, KeyPair>);

/// Certificate and key, in PEM.
struct Identity(String, String);

impl Authority {
    fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Authority(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn identity(&self) -> Identity {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        Identity(certificate.pem(), key.serialize_pem())
    }

    fn pem(&self) -> String {
        self.0.pem()
    }
}

/// Takes TLS off what comes in, from clients of this authority alone, and hands it to the collector.
fn in_front_of(collector: &Collector, speaks: Speaks, authority: &Authority) -> SocketAddr {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    let root = CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap();
    roots.add(root).unwrap();
    let clients = WebPkiClientVerifier::builder_with_provider(roots.into(), Arc::clone(&provider));
    let Identity(certificate, key) = authority.identity();
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(clients.build().unwrap())
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()],
            PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap(),
        )
        .unwrap();
    if speaks == Speaks::Grpc {
        config.alpn_protocols = vec![b"h2".to_vec()];
    }
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let (tell, told) = std::sync::mpsc::channel();
    let behind = collector.address;
    std::thread::spawn(move || {
        block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            tell.send(listener.local_addr().unwrap()).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(mut outside) = acceptor.accept(stream).await else {
                        return;
                    };
                    let mut inside = TcpStream::connect(behind).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
                });
            }
        });
    });
    told.recv().unwrap()
}

#[test]
fn certificates_of_the_environment_are_used() {
    for (speaks, protocol) in PROTOCOLS {
        let collector = Collector::start(speaks);
        let authority = Authority::new();
        let endpoint = format!("https://{}", in_front_of(&collector, speaks, &authority));
        let scratch = Scratch::new("certificates");
        let file = |name, text: &str| scratch.write(name, text).to_string_lossy().into_owned();
        let Identity(certificate, key) = authority.identity();
        let (certificate, key) = (file("client.pem", &certificate), file("client.key", &key));
        let ours = file("authority.pem", &authority.pem());
        let other = file("other.pem", &Authority::new().pem());
        let common = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &*endpoint),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "3000"),
            ("OTEL_METRICS_EXPORTER", "otlp"),
        ];
        let client = [
            ("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", &*certificate),
            ("OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY", &*key),
        ];
        let with = |story: &str, authority: &str, client: &[(&str, &str)]| {
            let trusted = [("OTEL_EXPORTER_OTLP_CERTIFICATE", authority)];
            story::tell(story, &[&common[..], &trusted, client].concat())
        };
        let text = with("pushed_by_the_environment", &ours, &client);
        assert!(story::said(&text).is_empty(), "{text}");
        assert_eq!(collector.asked(), 2);

        let text = with("pushed_in_vain", &other, &client);
        assert!(
            story::said(&text)[0].contains("certificate"),
            "it says why: {text}"
        );
        with("pushed_in_vain", &ours, &[]);
        let unknown = Authority::new().identity();
        let unknown = [
            (
                "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
                &*file("unknown.pem", &unknown.0),
            ),
            (
                "OTEL_EXPORTER_OTLP_CLIENT_KEY",
                &*file("unknown.key", &unknown.1),
            ),
        ];
        with("pushed_in_vain", &ours, &unknown);
        assert_eq!(collector.asked(), 2, "nothing of that has arrived");

        let nonsense = file("nonsense.pem", "nonsense");
        with("refused_for_its_certificate", &nonsense, &client);
    }
}

pub fn tell(story: &str) -> bool {
    match story {
        "pushed_in_vain" => told::pushed_in_vain(),
        "refused_for_its_certificate" => told::refused_for_its_certificate(),
        _ => return false,
    }
    true
}

pub mod told {
    use super::*;

    pub fn pushed_in_vain() {
        let telemetry = builder().from_env().install().unwrap();
        assert!(block_on(telemetry.flush()).is_err());
        assert!(telemetry.shutdown_blocking(PATIENCE).is_err());
    }

    pub fn refused_for_its_certificate() {
        let error = builder().from_env().install().unwrap_err().to_string();
        assert!(error.contains("nonsense.pem"), "{error}");
        assert_eq!(crate::pushers(), 0);
    }
}
