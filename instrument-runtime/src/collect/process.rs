//! The process and its container, as metrics: read when somebody collects. Under the names of OpenTelemetry; the classic
//! ones of the scrape are the prometheus crate's (`export/prometheus.rs`).

use crate::collect::cgroup::Cgroup;
use crate::collect::network::Network;
use crate::collect::proc_files::ProcFiles;
use crate::record::catalog_process as catalog;
use crate::record::metric::Metric;
use crate::record::observe::{count, number, seconds, whole};
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
    seconds(meter, &catalog::PROCESS_CPU, move |point| {
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
    seconds(meter, &catalog::CGROUP_CPU_THROTTLED, move |point| {
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
