//! The event for a request that failed.

use instrument_inference::testing::Rig;
use instrument_inference::{ErrorType, inference_request, inference_stage};
use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps events as text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

struct Line<'a>(&'a mut String);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("instrument_inference")
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut line = format!("{} {}", event.metadata().level(), event.metadata().target());
        event.record(&mut Line(&mut line));
        self.0.lock().unwrap().push(line);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[inference_stage("execute")]
fn execute(fail: Option<ErrorType>) -> Result<(), ErrorType> {
    fail.map_or(Ok(()), Err)
}

#[inference_request]
fn predict(fail: Option<ErrorType>) -> Result<(), ErrorType> {
    execute(fail)
}

#[inference_request(route = route)]
fn routed(route: Option<String>) -> Result<(), ErrorType> {
    drop(route);
    Err(ErrorType::CudaOom)
}

#[test]
fn a_failure_names_its_route_and_what_is_not_known_is_left_out() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), || {
        let endless = "/é".repeat(100);
        for route in [Some("/predict"), Some(&endless), Some(""), None] {
            assert!(routed(route.map(str::to_owned)).is_err());
        }
    });
    let lines = log.0.lock().unwrap().clone();
    let routes: Vec<_> = lines
        .iter()
        .map(|line| Some(line.split_once("route=\"")?.1.split_once('"')?.0))
        .collect();
    let cut = "/é".repeat(42) + "/";
    assert_eq!(routes, [Some("/predict"), Some(&*cut), None, None]);
    assert!(lines.iter().all(|line| !line.contains("trace_id")));
    assert!(!rig.scrape().contains("/predict"), "it is no label");
}

#[test]
fn a_failure_says_where_and_what_and_nothing_else_says_anything() {
    let rig = Rig::new();
    let _inside = rig.enter();
    rig.model("sentiment", "2024.06.15");
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), || {
        assert!(predict(None).is_ok());
        assert!(predict(Some(ErrorType::CudaOom)).is_err());
    });
    let lines = log.0.lock().unwrap().clone();
    assert_eq!(lines.len(), 1, "{lines:?}");
    for part in [
        "WARN instrument_inference::request",
        "model=\"sentiment\"",
        "version=\"2024.06.15\"",
        "stage=\"execute\"",
        "error_type=\"cuda_oom\"",
        "outcome=\"error\"",
    ] {
        assert!(lines[0].contains(part), "no {part} in {}", lines[0]);
    }
}
