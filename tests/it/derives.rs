//! Labels and errors that are derived, and sets of labels, through the attributes that use them.

use crate::support::{counts, shown};
use instrument_inference::testing::Rig;
use instrument_inference::{
    Classify, ErrorType, Label, LabelSet, LabelValue, inference_request, inference_stage,
};
use std::fmt;
use std::io;

const DURATIONS: &str = "inference_stage_duration_seconds_count";

#[derive(LabelValue, Clone, Copy)]
enum Precision {
    Int8,
    HalfFloat,
    #[label("float \"32\"")]
    Full,
    #[allow(non_camel_case_types, reason = "keywords are lower case")]
    r#type,
}

#[inference_stage("execute", labels(precision = precision))]
fn execute(precision: Precision) {}

#[inference_stage("execute", labels(precision = precision))]
fn perhaps(precision: Option<Precision>) {}

#[test]
fn a_derived_label_is_its_variants() {
    let rig = Rig::new();
    let _inside = rig.enter();
    for precision in [
        Precision::Int8,
        Precision::HalfFloat,
        Precision::HalfFloat,
        Precision::r#type,
    ] {
        execute(precision);
    }
    perhaps(None);
    assert_eq!(
        shown(&counts(&rig, DURATIONS, &["precision"])),
        " 1, half_float 2, int8 1, type 1"
    );
    execute(Precision::Full);
    let scrape = rig.scrape();
    assert!(scrape.contains(r#"precision="float \"32\"""#), "{scrape}");
}

#[derive(LabelValue, Clone, Copy)]
enum Tier {
    Free,
    Paid,
}

#[inference_request(ingress = "http", tier = tier)]
fn predict(tier: Tier) {}

#[test]
fn a_derived_label_is_a_tier() {
    let rig = Rig::new();
    let _inside = rig.enter();
    predict(Tier::Free);
    predict(Tier::Paid);
    predict(Tier::Paid);
    assert_eq!(
        shown(&counts(&rig, "inference_requests_total", &["tier"])),
        "free 1, paid 2"
    );
}

static CUSTOMERS: LabelSet = LabelSet::capped("customer", 3);
static ORIGINS: LabelSet = LabelSet::listed("origin", &["eu", "us"]);

#[inference_stage("tokenize", labels(customer = CUSTOMERS.get(customer), origin = origin))]
fn tokenize(customer: &str, origin: Option<&Label>) {}

#[test]
fn a_set_hands_out_labels_and_folds_the_rest() {
    let rig = Rig::new();
    let _inside = rig.enter();
    for customer in ["acme", "globex"] {
        CUSTOMERS.admit(customer);
    }
    tokenize("acme", Some(&ORIGINS.get("eu")));
    tokenize("globex", Some(&ORIGINS.get("eu")));
    tokenize("acme", None);
    for n in 0..2_000 {
        tokenize(&format!("made up {n}"), Some(&ORIGINS.get("mars")));
    }
    tokenize("acme", Some(&ORIGINS.get("eu")));
    assert_eq!(
        shown(&counts(&rig, DURATIONS, &["customer", "origin"])),
        "acme  1, acme eu 2, globex eu 1, other other 2000"
    );
    assert_eq!(CUSTOMERS.overflowed(), 0);
    for n in 0..5 {
        CUSTOMERS.admit(&format!("customer {n}"));
    }
    assert_eq!(CUSTOMERS.overflowed(), 4);
}

#[derive(Debug, thiserror::Error, Classify)]
enum Engine {
    #[error("no room")]
    #[classify(cuda_oom)]
    NoRoom,
    #[error("{0}")]
    #[classify(source)]
    Printed(String),
}

#[derive(Debug, thiserror::Error, Classify)]
#[classify(internal)]
enum Failure {
    #[error("not an image")]
    #[classify(invalid_input)]
    NotAnImage,
    #[error(transparent)]
    #[classify(source)]
    Engine(#[from] Engine),
    #[error("could not read {path}")]
    #[classify(source)]
    Read {
        path: &'static str,
        source: io::Error,
    },
    #[error("who knows")]
    Unknown,
}

/// Says nothing of itself: only its sources and texts can be asked.
#[derive(Debug)]
struct Plain<'a>(&'a str, Option<Engine>);
impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
impl std::error::Error for Plain<'_> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.1.as_ref().map(|source| source as _)
    }
}

#[inference_request(ingress = "grpc")]
fn serve<E>(error: E) -> Result<(), Failure>
where
    Failure: From<E>,
{
    run(error.into())
}

#[inference_stage("execute")]
fn run(error: Failure) -> Result<(), Failure> {
    Err(error)
}

#[inference_request(ingress = "grpc")]
fn serve_plain(error: Plain<'_>) -> Result<(), Plain<'_>> {
    Err(error)
}

#[inference_request(ingress = "grpc")]
fn serve_text(error: String) -> Result<(), String> {
    Err(error)
}

#[inference_request(ingress = "grpc")]
fn serve_boxed(error: &str) -> Result<(), Box<dyn std::error::Error>> {
    Err(error.into())
}

fn errors(rig: &Rig) -> String {
    shown(&counts(
        rig,
        "inference_errors_total",
        &["stage", "error_type"],
    ))
}

#[test]
fn a_derived_error_says_its_type() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let _ = serve(Failure::NotAnImage);
    let _ = serve(Engine::NoRoom);
    let _ = serve(Failure::Unknown);
    let _ = serve(Failure::Read {
        path: "weights",
        source: io::ErrorKind::TimedOut.into(),
    });
    // after an execution began, a caller's mistake is no rejection any more
    assert_eq!(
        errors(&rig),
        "execute cuda_oom 1, execute dependency_timeout 1, execute internal 1, execute invalid_input 1"
    );
}

#[test]
fn what_an_engine_prints_is_known_at_the_start_of_a_link_only() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let printed = "CUDA out of memory. Tried to allocate 2.00 GiB";
    let echoed = "the prompt is too long: CUDA out of memory. Tried to allocate 2.00 GiB";
    let engine = |text: &str| Some(Engine::Printed(text.to_owned()));
    for text in [printed, echoed] {
        let _ = serve(Engine::Printed(text.to_owned()));
        let _ = serve_text(text.to_owned());
        let _ = serve_boxed(text);
        let _ = serve_plain(Plain(text, None));
        let _ = serve_plain(Plain("could not predict", engine(text)));
    }
    assert_eq!(
        errors(&rig),
        "execute cuda_oom 1, execute internal 1, none cuda_oom 4, none internal 4"
    );
}

/// Every error type that the derive knows, in the order of [`ErrorType::ALL`].
#[derive(Classify)]
enum Every {
    #[classify(invalid_input)]
    A,
    #[classify(model_load)]
    B,
    #[classify(cuda_oom)]
    C,
    #[classify(resource_exhausted)]
    D,
    #[classify(rate_limited)]
    E,
    #[classify(dependency_timeout)]
    F,
    #[classify(deadline_exceeded)]
    G,
    #[classify(device_fault)]
    H,
    #[classify(unavailable)]
    I,
    #[classify(internal)]
    J,
}

#[test]
fn every_error_type_can_be_derived() {
    let every = [
        Every::A,
        Every::B,
        Every::C,
        Every::D,
        Every::E,
        Every::F,
        Every::G,
        Every::H,
        Every::I,
        Every::J,
    ];
    assert_eq!(every.map(|error| error.error_type()), ErrorType::ALL);
}
