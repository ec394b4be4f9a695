//! The process and its container, as metrics: read when somebody collects. Under the names of OpenTelemetry; the classic
//! ones of the scrape are the prometheus crate's (`export/prometheus.rs`).

use crate::collect::cgroup::Cgroup;
use crate::collect::network::Network;
use crate::collect::proc_files::ProcFiles;
use crate::record::catalog_process as catalog;
use crate::record::metric::Metric;
use crate::record::observe::{amount, count, number, whole};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{AsyncInstrument, Meter};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Shows them from now on, where the system has such files. `root` is `/`. `pushed`: somebody reads more than the scrape,
/// which has the classic names.
pub(crate) fn observe(meter: &Meter, root: &Path, pushed: bool) {
    let files = ProcFiles::new(&root.join("proc"));
    if !files.are_there() {
        return;
    }
    let cgroup = Cgroup::new(&files, &root.join("sys/fs/cgroup"));
    if pushed {
        only_pushed(meter, &files);
    }
    transferred(meter, &files);
    container(meter, &cgroup);
}

type Look = fn(&ProcFiles) -> Option<i64>;

fn only_pushed(meter: &Meter, files: &ProcFiles) {
    let read = files.clone();
    amount(meter, &catalog::PROCESS_CPU, move |point| {
        for (mode, seconds) in ["user", "system"]
            .into_iter()
            .zip(read.cpu().into_iter().flatten())
        {
            point.observe(seconds, &[KeyValue::new("cpu.mode", mode)]);
        }
    });
    let rows: [(&Metric, Look); 4] = [
        (&catalog::PROCESS_MEMORY, ProcFiles::resident),
        (&catalog::PROCESS_VIRTUAL_MEMORY, ProcFiles::reserved),
        (&catalog::PROCESS_OPEN_FDS, ProcFiles::open_files),
        (&catalog::PROCESS_THREADS, ProcFiles::threads),
    ];
    for (metric, look) in rows {
        let read = files.clone();
        whole(meter, metric, move |point| known(point, look(&read)));
    }
    let read = files.clone();
    number(meter, &catalog::PROCESS_START_TIME, move |point| {
        known(point, read.uptime());
    });
}

fn transferred(meter: &Meter, files: &ProcFiles) {
    let read = files.clone();
    count(meter, &catalog::PROCESS_DISK_IO, move |point| {
        both(point, "disk.io.direction", ["read", "write"], read.disk());
    });
    let (read, network) = (files.clone(), Mutex::<Network>::default());
    count(meter, &catalog::PROCESS_NETWORK_IO, move |point| {
        let mut network = network.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = read.network().and_then(|text| network.take(&text));
        both(
            point,
            "network.io.direction",
            ["receive", "transmit"],
            bytes,
        );
    });
}

fn container(meter: &Meter, cgroup: &Cgroup) {
    let read = cgroup.clone();
    whole(meter, &catalog::CGROUP_MEMORY_LIMIT, move |point| {
        known(point, read.memory_limit());
    });
    let read = cgroup.clone();
    whole(meter, &catalog::CGROUP_MEMORY_USAGE, move |point| {
        known(point, read.memory_usage());
    });
    let read = cgroup.clone();
    number(meter, &catalog::CGROUP_CPU_LIMIT, move |point| {
        known(point, read.cpu_limit());
    });
    let read = cgroup.clone();
    amount(meter, &catalog::CGROUP_CPU_THROTTLED, move |point| {
        known(point, read.throttled());
    });
}

fn known<T>(point: &dyn AsyncInstrument<T>, value: Option<T>) {
    if let Some(value) = value {
        point.observe(value, &[]);
    }
}

fn both(
    point: &dyn AsyncInstrument<u64>,
    key: &'static str,
    directions: [&'static str; 2],
    bytes: Option<[u64; 2]>,
) {
    for (direction, bytes) in directions.into_iter().zip(bytes.into_iter().flatten()) {
        point.observe(bytes, &[KeyValue::new(key, direction)]);
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::collect::fake_root::FakeRoot;
    use opentelemetry::metrics::MeterProvider;
    use opentelemetry_sdk::metrics::data::{
        AggregatedMetrics, GaugeDataPoint, Metric, MetricData, ResourceMetrics, ScopeMetrics,
        SumDataPoint,
    };
    use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
    use std::collections::BTreeMap;
    use std::time::Duration;

    /// One push: names, and the sum of a metric's points.
    fn pushed(root: &FakeRoot, all: bool) -> BTreeMap<String, f64> {
        let exporter = InMemoryMetricExporter::default();
        let reader = PeriodicReader::builder(exporter.clone())
            .with_interval(Duration::from_secs(86_400))
            .build();
        let provider = SdkMeterProvider::builder().with_reader(reader).build();
        observe(&provider.meter("process"), root.path(), all);
        provider.force_flush().expect("it is in memory");
        let pushes = exporter.get_finished_metrics().expect("it is in memory");
        let scopes = pushes.iter().flat_map(ResourceMetrics::scope_metrics);
        let metrics = scopes.flat_map(ScopeMetrics::metrics);
        metrics
            .map(|metric| (metric.name().to_owned(), sum(metric)))
            .collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn sum(metric: &Metric) -> f64 {
        match metric.data() {
            AggregatedMetrics::F64(MetricData::Gauge(gauge)) => {
                gauge.data_points().map(GaugeDataPoint::value).sum()
            }
            AggregatedMetrics::F64(MetricData::Sum(sum)) => {
                sum.data_points().map(SumDataPoint::value).sum()
            }
            AggregatedMetrics::I64(MetricData::Sum(sum)) => {
                sum.data_points().map(|point| point.value() as f64).sum()
            }
            AggregatedMetrics::U64(MetricData::Sum(sum)) => {
                sum.data_points().map(|point| point.value() as f64).sum()
            }
            other => panic!("{other:?}"),
        }
    }

    const STAT: &str = "1 (a) S 0 1 1 0 -1 0 0 0 0 0 100 50 0 0 20 0 7 0 100 4096 1\n";

    #[test]
    fn a_container_shows_what_it_may_use() {
        let root = FakeRoot::new("container");
        for (file, text) in [
            ("proc/self/stat", STAT),
            ("proc/self/status", "VmRSS: 2 kB\n"),
            ("proc/self/cgroup", "0::/\n"),
            ("proc/self/io", "read_bytes: 1\nwrite_bytes: 2\n"),
            ("proc/self/fd/0", ""),
            ("proc/self/fd/1", ""),
            ("proc/self/net/dev", "lo: 3 0 0 0 0 0 0 0 4 0 0 0 0 0 0 0\n"),
            ("proc/uptime", "10 0\n"),
            ("sys/fs/cgroup/memory.max", "500"),
            ("sys/fs/cgroup/memory.current", "400"),
            ("sys/fs/cgroup/cpu.max", "50000 100000"),
            ("sys/fs/cgroup/cpu.stat", "throttled_usec 2000000"),
        ] {
            root.write(file, text);
        }
        let both = [
            ("inference.cgroup.cpu.limit_cores", 0.5),
            ("inference.cgroup.cpu.throttled", 2.0),
            ("inference.cgroup.memory.limit", 500.0),
            ("inference.cgroup.memory.usage", 400.0),
            ("process.disk.io", 3.0),
            ("process.network.io", 7.0),
        ];
        let alone = [
            ("process.cpu.time", 1.5),
            ("process.memory.usage", 2048.0),
            ("process.memory.virtual", 4096.0),
            ("process.thread.count", 7.0),
            ("process.unix.file_descriptor.count", 1.0),
            ("process.uptime", 9.0),
        ];
        let named = |(name, value): (&str, f64)| (name.to_owned(), value);
        let scraped: BTreeMap<_, _> = both.map(named).into();
        assert_eq!(pushed(&root, false), scraped);
        let all: BTreeMap<_, _> = both.into_iter().chain(alone).map(named).collect();
        assert_eq!(pushed(&root, true), all);
    }

    #[test]
    fn what_cannot_be_read_has_no_point() {
        let root = FakeRoot::new("unreadable");
        assert_eq!(pushed(&root, true), BTreeMap::new(), "no /proc");
        root.write("proc/self/stat", "nonsense");
        assert_eq!(pushed(&root, true), BTreeMap::new());
    }
}
