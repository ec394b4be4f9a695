//! Exactness: what many threads record is what a scrape and a push show, in count, sum and every bucket, while
//! scrapes run, threads end, and rings overflow.

use instrument_inference::inference_stage;
use instrument_inference::testing::Rig;
use opentelemetry_sdk::metrics::data::{
    AggregatedMetrics, MetricData, ResourceMetrics, ScopeMetrics,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const EDGES: [f64; 4] = [0.001, 0.002, 0.004, 0.008];

#[inference_stage("execute", buckets = [0.001, 0.002, 0.004, 0.008])]
fn takes(rig: &Rig, time: Duration, fail: bool) -> Result<(), u8> {
    rig.advance(time);
    if fail { Err(1) } else { Ok(()) }
}

/// What a histogram should hold.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Expected {
    buckets: [u64; 5],
    nanos: u128,
}

impl Expected {
    fn record(&mut self, time: Duration) {
        let at = EDGES.partition_point(|edge| *edge < time.as_secs_f64());
        self.buckets[at] += 1;
        self.nanos += time.as_nanos();
    }

    fn add(&mut self, other: &Expected) {
        for (sum, more) in self.buckets.iter_mut().zip(other.buckets) {
            *sum += more;
        }
        self.nanos += other.nanos;
    }

    fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }
}

/// A generator without a crate: the same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// 0 to 10 ms: some exactly on an edge.
    fn time(&mut self) -> Duration {
        match self.next() % 10 {
            0 => Duration::from_millis(1 << (self.next() % 4)),
            _ => Duration::from_nanos(self.next() % 10_000_000),
        }
    }
}

/// Each thread has a rig's clock to itself only when it is alone: so every thread has a rig of its own, and they
/// share the site, its table, the rings and the drain.
fn storm(
    threads: u64,
    calls: u64,
    per_thread: impl Fn(u64) -> Rig + Sync,
) -> Vec<(Rig, BTreeMap<bool, Expected>)> {
    std::thread::scope(|scope| {
        let run = |seed| {
            let per_thread = &per_thread;
            move || {
                let rig = per_thread(seed);
                let mut numbers = Numbers(seed + 1);
                let mut expected: BTreeMap<bool, Expected> = BTreeMap::new();
                {
                    let _inside = rig.enter();
                    for _ in 0..calls {
                        let (time, fail) = (numbers.time(), numbers.next().is_multiple_of(4));
                        let _ = takes(&rig, time, fail);
                        expected.entry(fail).or_default().record(time);
                    }
                }
                (rig, expected)
            }
        };
        let threads: Vec<_> = (0..threads).map(|seed| scope.spawn(run(seed))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

fn assert_scrape_shows(rig: &Rig, expected: &BTreeMap<bool, Expected>) {
    let scrape = rig.scrape();
    for (fail, expected) in expected {
        let outcome = if *fail { "error" } else { "ok" };
        let labels =
            format!("model=\"none\",outcome=\"{outcome}\",stage=\"execute\",version=\"none\"");
        let line = |series: String| {
            let found = scrape
                .lines()
                .find_map(|line| line.strip_prefix(&series)?.strip_prefix(' '));
            found
                .unwrap_or_else(|| panic!("no {series} in\n{scrape}"))
                .parse::<f64>()
                .unwrap()
        };
        let family = "inference_stage_duration_seconds";
        let mut below = 0;
        for (edge, count) in EDGES.iter().zip(expected.buckets) {
            below += count;
            let shown = line(format!("{family}_bucket{{{labels},le=\"{edge}\"}}"));
            assert!(
                (shown - below as f64).abs() < 0.5,
                "le={edge}: {shown}, not {below}"
            );
        }
        let count = line(format!("{family}_count{{{labels}}}"));
        assert!(
            (count - expected.count() as f64).abs() < 0.5,
            "{count}, not {}",
            expected.count()
        );
        let sum = line(format!("{family}_sum{{{labels}}}"));
        let exact = expected.nanos as f64 / 1e9;
        // the sum of as many rounded `f64`
        assert!((sum / exact - 1.0).abs() < 1e-9, "{sum}, not {exact}");
    }
}

#[test]
fn every_recording_is_in_its_bucket_while_scrapes_run_and_rings_overflow() {
    let rigs = storm(4, 20_000, |_| Rig::new());
    for (rig, expected) in &rigs {
        assert_scrape_shows(rig, expected);
        // and again: reading changes nothing
        assert_scrape_shows(rig, expected);
    }
}

#[test]
fn threads_that_share_a_series_add_up_while_scrapes_run_and_threads_end() {
    #[inference_stage("decode")]
    fn shared() {}
    let rig = Rig::builder().real_clock().start();
    let stop = AtomicBool::new(false);
    let (threads, rounds, calls) = (4, 25, 2_000);
    std::thread::scope(|scope| {
        let scraper = scope.spawn(|| {
            let mut last = 0;
            while !stop.load(Ordering::Relaxed) {
                let now = count(&rig);
                assert!(now >= last, "a counter went back from {last} to {now}");
                last = now;
            }
        });
        for _ in 0..rounds {
            let run = || {
                let _inside = rig.enter();
                (0..calls).for_each(|_| shared());
            };
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
            for thread in running {
                thread.join().unwrap();
            }
        }
        stop.store(true, Ordering::Relaxed);
        scraper.join().unwrap();
    });
    assert_eq!(count(&rig), threads * rounds * calls);
    let in_flight =
        rig.value("inference_stage_in_flight{model=\"none\",stage=\"decode\",version=\"none\"}");
    assert_eq!(in_flight, Some(0.0));
}

fn count(rig: &Rig) -> u64 {
    let series = "inference_stage_duration_seconds_count{model=\"none\",outcome=\"ok\",stage=\"decode\",version=\"none\"}";
    rig.value(series).map_or(0, |count| count as u64)
}

#[test]
fn a_push_shows_the_same_as_a_scrape_in_both_temporalities() {
    for delta in [false, true] {
        let make = |_| {
            if delta {
                Rig::builder().delta().start()
            } else {
                Rig::new()
            }
        };
        let mut rigs = storm(1, 5_000, make);
        let (rig, mut expected) = rigs.remove(0);
        let first = pushed(&rig.push());
        assert_eq!(first, expected);
        // more after the first push: cumulative counts on, delta starts anew
        let mut more: BTreeMap<bool, Expected> = BTreeMap::new();
        {
            let _inside = rig.enter();
            let mut numbers = Numbers(77);
            for _ in 0..3_000 {
                let time = numbers.time();
                let _ = takes(&rig, time, false);
                more.entry(false).or_default().record(time);
            }
        }
        let second = pushed(&rig.push());
        for (fail, more) in &more {
            expected.entry(*fail).or_default().add(more);
        }
        assert_eq!(second, if delta { more } else { expected.clone() });
        assert_scrape_shows(&rig, &expected);
    }
}

fn pushed(all: &[ResourceMetrics]) -> BTreeMap<bool, Expected> {
    let mut found = BTreeMap::new();
    let metrics = all
        .iter()
        .flat_map(ResourceMetrics::scope_metrics)
        .flat_map(ScopeMetrics::metrics);
    for metric in metrics.filter(|metric| metric.name() == "inference.stage.duration") {
        let AggregatedMetrics::F64(MetricData::Histogram(histogram)) = metric.data() else {
            panic!("durations are histograms of f64");
        };
        for point in histogram.data_points() {
            assert_eq!(
                (point.min(), point.max()),
                (None, None),
                "an idle histogram would send absurd ones"
            );
            let outcome = point
                .attributes()
                .find(|label| label.key.as_str() == "outcome")
                .expect("always there");
            let buckets: Vec<_> = point.bucket_counts().collect();
            let nanos = (point.sum() * 1e9).round() as u128;
            let expected = Expected {
                buckets: buckets.try_into().expect("five"),
                nanos,
            };
            if expected.count() > 0 {
                found.insert(outcome.value.as_str() == "error", expected);
            }
        }
    }
    found
}
