//! The process under the names of OpenTelemetry.

pub mod told {
    use crate::collector::{Collector, Speaks};
    use crate::points::metrics;
    use crate::story::{PATIENCE, until};
    use crate::{block_on, builder, value};
    use opentelemetry_proto::tonic::metrics::v1::metric::Data;

    pub fn the_process_goes_out_under_the_names_of_opentelemetry() {
        let collector = Collector::start(Speaks::Http);
        let telemetry = builder()
            .otlp_endpoint(collector.endpoint())
            .install()
            .unwrap();
        let files: Vec<_> = (0..100)
            .map(|_| std::fs::File::open("/dev/null").unwrap())
            .collect();
        let cpu = || value(&telemetry.scrape(), "process_cpu_seconds_total").unwrap();
        until("a second of work", || cpu() >= 1.0);
        let before = cpu();
        block_on(telemetry.flush()).unwrap();
        let push = collector.received().remove(0);
        let found = |name: &str| {
            let metric = metrics(&push.request).find(|metric| metric.name == name);
            metric.unwrap_or_else(|| panic!("no {name}"))
        };
        // what the kernel does not tell everywhere
        let unknown =
            |name: &str| name == "process.disk.io" && std::fs::read("/proc/self/io").is_err();
        for (name, unit, kind, points) in [
            ("process.cpu.time", "s", "counter", 2),
            ("process.memory.usage", "By", "up and down", 1),
            ("process.memory.virtual", "By", "up and down", 1),
            ("process.disk.io", "By", "counter", 2),
            ("process.network.io", "By", "counter", 2),
            ("process.thread.count", "{thread}", "up and down", 1),
            (
                "process.unix.file_descriptor.count",
                "{file_descriptor}",
                "up and down",
                1,
            ),
            ("process.uptime", "s", "gauge", 1),
        ] {
            if unknown(name) {
                continue;
            }
            let metric = found(name);
            let (is, count) = match metric.data.as_ref().unwrap() {
                Data::Sum(sum) if sum.is_monotonic => ("counter", sum.data_points.len()),
                Data::Sum(sum) => ("up and down", sum.data_points.len()),
                Data::Gauge(gauge) => ("gauge", gauge.data_points.len()),
                other => panic!("{other:?}"),
            };
            assert_eq!((&*metric.unit, is, count), (unit, kind, points), "{name}");
        }
        for metric in metrics(&push.request) {
            let classic = ["process_", "process.cpu.seconds", "process.open_fds"];
            assert!(
                !classic.iter().any(|name| metric.name.starts_with(name)),
                "{}",
                metric.name
            );
        }
        let points = collector.last();
        let scrape = telemetry.scrape();
        // the same process: what does not move between two looks
        for (point, series, blur) in [
            (
                "process.unix.file_descriptor.count{}",
                "process_open_fds",
                8.0,
            ),
            ("process.thread.count{}", "process_threads", 2.0),
            (
                "process.memory.usage{}",
                "process_resident_memory_bytes",
                16e6,
            ),
            (
                "process.memory.virtual{}",
                "process_virtual_memory_bytes",
                256e6,
            ),
        ] {
            let shown = value(&scrape, series).unwrap();
            assert!(
                (points[point] - shown).abs() <= blur,
                "{point}: {} {shown}",
                points[point]
            );
        }
        let mode = |mode: &str| points[&format!("process.cpu.time{{cpu.mode=\"{mode}\"}}")];
        let both = mode("user") + mode("system");
        let after = cpu() + 1.0;
        assert!(
            before <= both && both < after,
            "{before} <= {both} < {after}"
        );
        let up = points["process.uptime{}"];
        let start = value(&scrape, "process_start_time_seconds").unwrap();
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap();
        let blur = (now.as_secs_f64() - start - up).abs();
        assert!(up > 0.0 && blur < 60.0, "{up} {start}");
        drop(files);
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }
}
