//! The devices, as metrics: what the collector has published last, read when somebody collects.

use crate::gpu::backend::{Readings, SLOWDOWNS};
use crate::gpu::device::{Device, Status};
use crate::gpu::snapshot::{Published, Snapshot, State};
use crate::record::catalog_device as catalog;
use crate::record::metric::Metric;
use crate::record::observe::{amount, count, number, whole};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{AsyncInstrument, Meter};
use std::time::{Instant, UNIX_EPOCH};

/// Shows them from now on.
pub(crate) fn observe(meter: &Meter, published: &Published) {
    let shown = Shown { meter, published };
    shown.collector();
    shown.readings();
    shown.devices();
}

/// Shows that nobody looks.
pub(crate) fn observe_disabled(meter: &Meter) {
    whole(meter, &catalog::GPU_COLLECTOR_STATE, |point| {
        observe_state(State::Disabled, point);
    });
}

struct Shown<'a> {
    meter: &'a Meter,
    published: &'a Published,
}

impl Shown<'_> {
    fn newest(&self) -> impl Fn() -> (std::sync::Arc<Snapshot>, Instant) + Send + Sync + 'static {
        let published = self.published.clone();
        move || (published.newest(), Instant::now())
    }

    fn collector(&self) {
        let newest = self.newest();
        whole(self.meter, &catalog::GPU_COLLECTOR_STATE, move |point| {
            let (snapshot, now) = newest();
            if let Some(state) = snapshot.state(now) {
                observe_state(state, point);
            }
        });
        let newest = self.newest();
        count(self.meter, &catalog::GPU_COLLECTOR_ERRORS, move |point| {
            let (snapshot, now) = newest();
            for (trouble, times) in snapshot.errors(now) {
                point.observe(times, &[KeyValue::new("code", trouble.as_str())]);
            }
        });
        let newest = self.newest();
        number(
            self.meter,
            &catalog::GPU_COLLECTOR_LAST_SUCCESS,
            move |point| {
                let (snapshot, _) = newest();
                let success = snapshot.last_success;
                let since = success.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
                if let Some(since) = since {
                    point.observe(since.as_secs_f64(), &[]);
                }
            },
        );
    }

    fn readings(&self) {
        self.whole(&catalog::GPU_MEMORY_USAGE, |one| {
            one.memory.map(|memory| memory.used)
        });
        self.whole(&catalog::GPU_MEMORY_LIMIT, |one| {
            one.memory.map(|memory| memory.limit)
        });
        self.whole(&catalog::GPU_PROCESS_MEMORY, |one| one.own_memory);
        self.number(&catalog::POWER, |one| one.watts);
        self.number(&catalog::TEMPERATURE, |one| one.celsius);
        let newest = self.newest();
        number(self.meter, &catalog::GPU_UTILIZATION, move |point| {
            each(&newest(), |device, readings| {
                if let Some(share) = readings.utilization {
                    point.observe(share, &with(device, "hw.gpu.task", "general"));
                }
            });
        });
        let newest = self.newest();
        amount(self.meter, &catalog::ENERGY, move |point| {
            each(&newest(), |device, readings| {
                if let Some(joules) = readings.joules {
                    point.observe(joules, &who(device));
                }
            });
        });
        let newest = self.newest();
        whole(self.meter, &catalog::GPU_THROTTLED, move |point| {
            each(&newest(), |device, readings| {
                let reasons = readings.throttled.into_iter().flatten();
                for (reason, is_so) in SLOWDOWNS.into_iter().zip(reasons) {
                    point.observe(i64::from(is_so), &with(device, "reason", reason));
                }
            });
        });
    }

    fn devices(&self) {
        let newest = self.newest();
        count(self.meter, &catalog::ERRORS, move |point| {
            let (snapshot, now) = newest();
            for device in &snapshot.devices {
                let readings = device.readings(now);
                let memory = [
                    ("corrected", readings.and_then(|one| one.corrected)),
                    ("uncorrected", readings.and_then(|one| one.uncorrected)),
                ];
                for (kind, errors) in memory {
                    if let Some(errors) = errors {
                        point.observe(errors, &with(device, "error.type", kind));
                    }
                }
                for (number, times) in &device.xids {
                    let kind = format!("xid_{number}");
                    point.observe(*times, &with(device, "error.type", kind));
                }
            }
        });
        let newest = self.newest();
        whole(self.meter, &catalog::STATUS, move |point| {
            let (snapshot, now) = newest();
            for device in &snapshot.devices {
                let Some(status) = device.status(now) else {
                    continue;
                };
                for one in Status::ALL {
                    let labels = with(device, "hw.state", one.as_str());
                    point.observe(i64::from(one == status), &labels);
                }
            }
        });
        let newest = self.newest();
        whole(self.meter, &catalog::GPU_INFO, move |point| {
            let (snapshot, _) = newest();
            for device in &snapshot.devices {
                let mig = if device.mig { "true" } else { "false" };
                let mut labels = vec![
                    KeyValue::new("hw.id", device.id.clone()),
                    KeyValue::new("mig", mig),
                ];
                let name = device.name.clone();
                labels.extend(name.map(|name| KeyValue::new("name", name)));
                let driver = snapshot.driver.clone();
                labels.extend(driver.map(|driver| KeyValue::new("driver_version", driver)));
                point.observe(1, &labels);
            }
        });
    }

    fn whole(&self, metric: &Metric, of: fn(&Readings) -> Option<u64>) {
        let newest = self.newest();
        whole(self.meter, metric, move |point| {
            each(&newest(), |device, readings| {
                if let Some(value) = of(readings) {
                    point.observe(i64::try_from(value).unwrap_or(i64::MAX), &who(device));
                }
            });
        });
    }

    fn number(&self, metric: &Metric, of: fn(&Readings) -> Option<f64>) {
        let newest = self.newest();
        number(self.meter, metric, move |point| {
            each(&newest(), |device, readings| {
                if let Some(value) = of(readings) {
                    point.observe(value, &who(device));
                }
            });
        });
    }
}

fn observe_state(state: State, point: &dyn AsyncInstrument<i64>) {
    for one in State::ALL {
        let labels = [KeyValue::new("state", one.as_str())];
        point.observe(i64::from(one == state), &labels);
    }
}

/// Those of which something is known now.
fn each((snapshot, now): &(std::sync::Arc<Snapshot>, Instant), look: impl Fn(&Device, &Readings)) {
    for device in &snapshot.devices {
        if let Some(readings) = device.readings(*now) {
            look(device, readings);
        }
    }
}

/// With dots, as the conventions have them; the scrape writes them with `_`.
fn who(device: &Device) -> Vec<KeyValue> {
    let mut labels = vec![
        KeyValue::new("hw.id", device.id.clone()),
        KeyValue::new("hw.type", "gpu"),
        KeyValue::new("hw.vendor", "NVIDIA"),
    ];
    let name = device.name.clone();
    labels.extend(name.map(|name| KeyValue::new("hw.name", name)));
    let parent = device.parent.clone();
    labels.extend(parent.map(|parent| KeyValue::new("hw.parent", parent)));
    labels
}

fn with(
    device: &Device,
    key: &'static str,
    value: impl Into<opentelemetry::Value>,
) -> Vec<KeyValue> {
    let mut labels = who(device);
    labels.push(KeyValue::new(key, value));
    labels
}
