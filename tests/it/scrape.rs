//! The text that Prometheus reads, whole.

use futures::{FutureExt, Stream, stream};
use instrument_inference::queue;
use instrument_inference::testing::Rig;
use instrument_inference::{
    CATALOG, ErrorType, FinishReason, MeasureTokens, MetricKind, RequestContext, Sequence,
    inference_request, inference_stage,
};
use std::collections::BTreeSet;
use std::future::pending;
use std::path::Path;
use std::time::Duration;

#[inference_stage("preprocess", labels(cached = cached))]
fn preprocess(rig: &Rig, cached: bool) -> Result<(), ErrorType> {
    rig.advance(Duration::from_millis(2));
    if cached {
        Ok(())
    } else {
        Err(ErrorType::InvalidInput)
    }
}

#[inference_stage("execute", buckets = fast, objective = "20ms")]
fn execute(rig: &Rig, fail: bool) -> Result<(), ErrorType> {
    rig.advance(Duration::from_millis(18));
    if fail {
        Err(ErrorType::CudaOom)
    } else {
        Ok(())
    }
}

#[inference_request(ingress = "http", tier = "paid")]
fn predict(rig: &Rig, cached: bool, fail: bool) -> Result<(), ErrorType> {
    preprocess(rig, cached)?;
    rig.advance(Duration::from_millis(1));
    execute(rig, fail)
}

#[inference_request(ingress = "http", tier = "paid")]
async fn waits() {
    pending::<()>().await;
}

/// Some of everything.
fn served() -> Rig {
    let rig = Rig::new();
    let inside = rig.enter();
    rig.model("sentiment", "2024.06.15");
    for (cached, fail) in [(true, false), (true, false), (false, false), (true, true)] {
        let _ = predict(&rig, cached, fail);
    }
    let _ = waits().now_or_never();
    drop(inside);
    rig
}

/// `UPDATE_GOLDEN=1` refreshes it.
#[test]
fn the_whole_text_is_as_reviewed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/scrape.txt");
    let text = served().scrape();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == golden,
        "differs from {}; UPDATE_GOLDEN=1 refreshes it:\n{text}",
        path.display()
    );
}

/// What `served` leaves out.
fn everything() -> Rig {
    #[inference_request(tenant = "acme", objective = "1s")]
    fn of_a_tenant(rig: &Rig, fail: bool) -> Result<(), ErrorType> {
        execute(rig, fail)
    }
    #[inference_request]
    fn generates(rig: &Rig) -> impl Stream<Item = u8> + Unpin + use<> {
        rig.advance(Duration::from_millis(3));
        let context = RequestContext::current().expect("the request's own");
        context.finish(FinishReason::Stop);
        stream::iter([1, 2]).measure_tokens(|tokens| *tokens)
    }
    let rig = Rig::builder().line_budget(100).start();
    {
        let _inside = rig.enter();
        let slot = rig.model("sentiment", "2024.06.15");
        assert!(slot.load(|| Ok::<_, ErrorType>(())).is_ok());
        let _ = execute(&rig, false); // an orphan
        let _ = of_a_tenant(&rig, false);
        let _ = of_a_tenant(&rig, true);
        for _ in 0..3 {
            let _ = predict(&rig, true, true); // its ingress is beyond the budget
            let _ = predict(&rig, false, false);
            let _ = waits().now_or_never();
        }
        let slot = slot.gen_ai("chat", "ours");
        let answer = generates(&rig);
        for _ in futures::executor::block_on_stream(answer) {
            rig.advance(Duration::from_millis(1));
        }
        Sequence::begin(None).preempted();
        slot.kv_usage(0.5);
        slot.kv_cache(16, 1_024);
        slot.cache("prefix", true);
        let (caller, worker) = queue::batcher::<u8, u8>("batcher", 4);
        let mut calls: Vec<_> = (0..3).map(|input| Box::pin(caller.call(input))).collect();
        for call in &mut calls {
            assert!(call.as_mut().now_or_never().is_none());
        }
        drop(worker.next_blocking(1, Duration::ZERO));
        assert!(rig.scrape().contains("inference_queue_oldest_age_seconds"));
        std::mem::forget(calls);
        std::mem::forget((caller, worker));
    }
    rig
}

#[test]
fn families_and_labels_are_those_of_the_catalogue() {
    let rig = everything();
    let text = rig.scrape();
    let mut seen = BTreeSet::new();
    for line in text.lines() {
        if let Some((name, kind)) = line
            .strip_prefix("# TYPE ")
            .and_then(|rest| rest.split_once(' '))
        {
            if name == "target_info" {
                continue;
            }
            let metric = CATALOG.iter().find(|metric| metric.name == name);
            let metric = metric.unwrap_or_else(|| panic!("{name} is not in the catalogue"));
            let expected = match metric.kind {
                MetricKind::Counter => "counter",
                MetricKind::Histogram => "histogram",
                _ => "gauge",
            };
            assert_eq!(kind, expected, "{name}");
            seen.insert(name);
        } else if let Some((name, labels)) = line.split_once('{').filter(|_| !line.starts_with('#'))
        {
            let family = CATALOG.iter().find(|metric| {
                let rest = name.strip_prefix(metric.name);
                rest.is_some_and(|rest| ["", "_bucket", "_sum", "_count"].contains(&rest))
            });
            let Some(family) = family else { continue };
            for pair in labels
                .split("\",")
                .filter_map(|pair| pair.trim_start_matches('{').split_once('='))
            {
                let own = ["cached", "le"].contains(&pair.0);
                assert!(
                    own || family.labels.contains(&pair.0),
                    "{name} has the label {}",
                    pair.0
                );
            }
        }
    }
    let missing: Vec<_> = CATALOG
        .iter()
        .map(|metric| metric.name)
        // what an installed telemetry has and a rig has not: health, somebody to push to, the process and devices
        .filter(|name| !name.starts_with("inference_health_"))
        .filter(|name| !name.starts_with("inference_export_"))
        .filter(|name| !name.starts_with("process_") && !name.starts_with("inference_cgroup_"))
        .filter(|name| *name != "inference_runtime_lag_seconds")
        .filter(|name| !name.starts_with("inference_gpu_") && !name.starts_with("hw_"))
        .filter(|name| !name.starts_with("inference_device_"))
        .filter(|name| !seen.contains(name))
        .collect();
    assert!(missing.is_empty(), "not seen: {missing:?}");
}

#[test]
fn metrics_of_the_users_own_go_out_together_with_ours() {
    let rig = Rig::new();
    rig.meter().u64_counter("cats.seen").build().add(3, &[]);
    assert_eq!(rig.value("cats_seen_total"), Some(3.0));
}

/// Two families of one name make Prometheus refuse the whole scrape.
#[test]
fn every_family_is_declared_once_whatever_the_service_calls_its_own() {
    #[inference_stage("decode", buckets = [0.1, 0.2])]
    fn with_edges_of_its_own() {}
    let rig = everything();
    {
        let _inside = rig.enter();
        with_edges_of_its_own();
    }
    let meter = rig.meter();
    meter.u64_counter("cats.seen").build().add(1, &[]);
    meter.u64_counter("cats.seen").build().add(2, &[]);
    meter.u64_counter("inference.requests").build().add(5, &[]);
    meter
        .f64_gauge("inference.stage.duration")
        .build()
        .record(1.0, &[]);
    let text = rig.scrape();
    let mut declared = BTreeSet::new();
    for line in text.lines() {
        if let Some(family) = line.strip_prefix("# TYPE ") {
            let name = family.split(' ').next().unwrap();
            assert!(declared.insert(name), "{name} is declared twice:\n{text}");
        }
    }
    let mut seen = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let series = line.rsplit_once(' ').expect("a line has a value").0;
        assert!(seen.insert(series), "{series} is there twice:\n{text}");
    }
    assert_eq!(rig.value("cats_seen_total"), Some(3.0));
    assert!(text.contains("# TYPE inference_requests_total counter"));
    assert!(text.contains("# TYPE inference_stage_duration_seconds histogram"));
}

#[test]
fn a_gauge_is_absent_when_nothing_is_known() {
    let rig = served();
    assert!(
        rig.scrape()
            .contains("inference_request_duration_max_seconds{")
    );
    rig.advance(Duration::from_secs(120));
    let text = rig.scrape();
    assert!(
        !text.contains("inference_request_duration_max_seconds{"),
        "{text}"
    );
    assert!(!text.contains("NaN"), "{text}");
}

#[test]
fn the_table_says_where_the_time_went() {
    let text = served().summary().to_string();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/summary.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == golden,
        "differs from {}; UPDATE_GOLDEN=1 refreshes it:\n{text}",
        path.display()
    );
}

#[test]
fn a_summary_says_when_stages_within_stages_count_twice() {
    #[inference_stage("retrieve")]
    fn inner(rig: &Rig) {
        rig.advance(Duration::from_millis(10));
    }
    #[inference_stage("preprocess")]
    fn outer(rig: &Rig) {
        inner(rig);
    }
    #[inference_request]
    fn request(rig: &Rig) {
        outer(rig);
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    request(&rig);
    let text = rig.summary().to_string();
    assert!(text.contains("  200 % together: stages within"), "{text}");
}
