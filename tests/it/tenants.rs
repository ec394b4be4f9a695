//! Tenants: families of their own, compute that adds up, and a budget that folds what is new.

use crate::support::{counts, shown};
use instrument_inference::testing::Rig;
use instrument_inference::{ErrorType, LabelValue, Level, inference_request, inference_stage};
use std::time::Duration;

/// One of many.
struct Tenant(u32, String);

impl Tenant {
    fn new(number: u32) -> Tenant {
        Tenant(number, format!("t{number}"))
    }
}

impl LabelValue for Tenant {
    const CARDINALITY: u32 = 10_000;
    fn index(&self) -> u32 {
        self.0
    }
    fn value(&self) -> Option<&str> {
        Some(&self.1)
    }
}

#[inference_stage("execute")]
fn execute(rig: &Rig, millis: u64) {
    rig.advance(Duration::from_millis(millis));
}

#[inference_request(ingress = "http", tenant = tenant, objective = "20ms")]
fn predict(rig: &Rig, tenant: &Tenant, millis: u64, fail: bool) -> Result<(), ErrorType> {
    execute(rig, millis);
    if fail {
        Err(ErrorType::CudaOom)
    } else {
        Ok(())
    }
}

fn value(rig: &Rig, series: &str) -> f64 {
    rig.value(series)
        .unwrap_or_else(|| panic!("no line {series} in\n{}", rig.scrape()))
}

#[test]
fn a_tenants_requests_time_objective_and_compute_are_its_own() {
    let rig = Rig::new();
    let _inside = rig.enter();
    rig.model("m", "1");
    let (one, other) = (Tenant::new(1), Tenant::new(2));
    assert!(predict(&rig, &one, 10, false).is_ok());
    assert!(predict(&rig, &one, 40, false).is_ok());
    assert!(predict(&rig, &other, 5, true).is_err());
    let by = ["tenant", "outcome"];
    assert_eq!(
        shown(&counts(&rig, "inference_tenant_requests_total", &by)),
        "t1 ok 2, t2 error 1"
    );
    let met = ["tenant", "met"];
    assert_eq!(
        shown(&counts(&rig, "inference_tenant_objective_total", &met)),
        "t1 false 1, t1 true 1"
    );
    let errors = ["model", "tenant", "error_type"];
    assert_eq!(
        shown(&counts(&rig, "inference_tenant_errors_total", &errors)),
        "m t2 cuda_oom 1"
    );
    for (tenant, seconds) in [("t1", 0.050), ("t2", 0.005)] {
        let labels = format!("{{model=\"m\",tenant=\"{tenant}\",version=\"1\"}}");
        for family in [
            "inference_tenant_request_seconds_total",
            "inference_compute_seconds_total",
        ] {
            assert!(
                (value(&rig, &format!("{family}{labels}")) - seconds).abs() < 1e-9,
                "{family} {tenant}"
            );
        }
    }
    let scrape = rig.scrape();
    assert!(
        !scrape.contains(
            "inference_requests_total{ingress=\"http\",model=\"m\",outcome=\"ok\",tenant"
        )
    );
    assert!(
        !scrape
            .lines()
            .any(|line| line.starts_with("inference_request_duration") && line.contains("tenant="))
    );
}

#[test]
fn below_the_level_of_dimensions_there_are_none() {
    let rig = Rig::builder().level(Level::Core).start();
    let _inside = rig.enter();
    assert!(predict(&rig, &Tenant::new(1), 1, false).is_ok());
    let scrape = rig.scrape();
    assert!(
        !scrape.contains("tenant=") && !scrape.contains("ingress="),
        "{scrape}"
    );
    assert!(
        scrape
            .contains("inference_requests_total{model=\"none\",outcome=\"ok\",version=\"none\"} 1")
    );
}

#[test]
fn a_level_that_leaves_families_out_changes_nothing_in_the_others() {
    let families = |level: Level| {
        let rig = Rig::builder().level(level).start();
        let _inside = rig.enter();
        rig.model("m", "1");
        for fail in [false, true, true] {
            let _ = predict(&rig, &Tenant::new(1), 3, fail);
        }
        [
            "inference_requests_total",
            "inference_request_duration_seconds_count",
            "inference_stage_duration_seconds_count",
            "inference_errors_total",
            "inference_batch_size_count",
        ]
        .map(|family| shown(&counts(&rig, family, &["model", "outcome", "stage"])))
    };
    let core = families(Level::Core);
    assert_eq!(core, families(Level::Dimensions));
    assert!(core.iter().all(|family| !family.is_empty()), "{core:?}");
}

#[test]
fn beyond_the_budget_new_tenants_fold_and_known_ones_go_on() {
    #[inference_request(model = slot)]
    fn canary(slot: &instrument_inference::ModelSlot) {}
    let rig = Rig::builder().line_budget(1_000).start();
    let _inside = rig.enter();
    for _ in 0..2 {
        for number in 0..500 {
            assert!(predict(&rig, &Tenant::new(number), 1, false).is_ok());
        }
    }
    let tenants = counts(&rig, "inference_tenant_requests_total", &["tenant"]);
    assert_eq!(tenants["t0"], 2);
    assert!(
        tenants.len() > 10 && tenants.len() < 100,
        "{}",
        tenants.len()
    );
    assert_eq!(tenants.values().sum::<u64>(), 1_000, "nobody is lost");
    assert!(tenants["other"] > 500);
    assert!(value(&rig, "inference_label_overflow_total{label=\"tenant\"}") > 300.0);
    // what never folds is still told apart
    let slot = rig.model("canary", "2");
    canary(&slot);
    assert_eq!(
        counts(&rig, "inference_requests_total", &["model"])["canary"],
        1
    );
    assert!(!rig.scrape().contains("otel_metric_overflow"));
}

#[test]
fn many_values_of_an_own_label_fold_before_the_sdk_merges_them() {
    #[inference_stage("postprocess", labels(kind = kind))]
    fn kinds(kind: &Tenant) {}
    let rig = Rig::new();
    let _inside = rig.enter();
    for number in 0..5_000 {
        kinds(&Tenant::new(number));
    }
    let kinds = counts(&rig, "inference_stage_duration_seconds_count", &["kind"]);
    assert_eq!(kinds.values().sum::<u64>(), 5_000);
    assert!(
        kinds.len() > 900 && kinds["other"] > 3_000,
        "{}",
        kinds.len()
    );
    assert!(!rig.scrape().contains("otel_metric_overflow"));
    assert!(rig.scrape().lines().count() < 50_000);
}

#[test]
fn values_that_are_known_fold_where_they_meet_for_the_first_time() {
    #[inference_request(ingress = ingress, tier = tier)]
    fn served(ingress: &Tenant, tier: &Tenant) {}
    let rig = Rig::builder().line_budget(2_000).start();
    let _inside = rig.enter();
    let values: Vec<_> = (0..60).map(Tenant::new).collect();
    for ingress in &values {
        for tier in &values[..30] {
            served(ingress, tier);
        }
    }
    let scrape = rig.scrape();
    assert!(!scrape.contains("otel_metric_overflow"), "{scrape}");
    let lines = scrape.lines().count();
    assert!(lines < 2_000, "{lines}");
    let requests = counts(&rig, "inference_requests_total", &["outcome"]);
    assert_eq!(shown(&requests), "ok 1800");
}
