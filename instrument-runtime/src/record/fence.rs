//! The meter that services get for metrics of their own: what they do wrong in a callback must not end all metrics.
//!
//! The SDK runs callbacks while it holds the lock of its reader. A panic there poisons it: every later collection is
//! empty, for ever. Creating an instrument there takes the same lock again, and waits for itself.

use crate::notice;
use crate::vocab::foreign::contained;
use opentelemetry::metrics::{
    AsyncInstrument, AsyncInstrumentBuilder, Callback, Counter, Gauge, Histogram, HistogramBuilder,
    InstrumentBuilder, InstrumentProvider, Meter, MeterProvider, NoopMeterProvider,
    ObservableCounter, ObservableGauge, ObservableUpDownCounter, UpDownCounter,
};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local!(static IN_CALLBACK: Cell<bool> = const { Cell::new(false) });

/// This thread runs a callback of the service's.
struct Inside(bool);

impl Inside {
    fn begin() -> Inside {
        Inside(IN_CALLBACK.replace(true))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        IN_CALLBACK.set(self.0);
    }
}

/// A meter that hands out the instruments of `meter`, with a fence around each callback.
pub(crate) fn fenced(meter: Meter) -> Meter {
    Meter::new(Arc::new(Fenced {
        meter,
        nothing: NoopMeterProvider::new().meter(""),
        told: AtomicBool::new(false),
    }))
}

struct Fenced {
    meter: Meter,
    /// Whose instruments do nothing.
    nothing: Meter,
    /// An instrument was made inside of a callback, and that was said.
    told: AtomicBool,
}

impl Fenced {
    /// Who makes this instrument.
    fn maker(&self, name: &str) -> &Meter {
        if !IN_CALLBACK.get() {
            return &self.meter;
        }
        if !self.told.swap(true, Ordering::Relaxed) {
            notice::report(&format!(
                "the metric `{name}` was to be made inside of a metrics callback, where it would wait for itself: it records nothing; make it before"
            ));
        }
        &self.nothing
    }
}

fn fence<T: 'static>(name: &str, callback: Callback<T>) -> Callback<T> {
    let (name, told) = (name.to_owned(), AtomicBool::new(false));
    Box::new(move |point: &dyn AsyncInstrument<T>| {
        let _inside = Inside::begin();
        if contained(|| callback(point)).is_err() && !told.swap(true, Ordering::Relaxed) {
            notice::report(&format!(
                "the callback of the metric `{name}` panicked: it is missing wherever that happens"
            ));
        }
    })
}

macro_rules! recorded {
    ($($method:ident -> $instrument:ty;)*) => {
        $(fn $method(&self, asked: InstrumentBuilder<'_, $instrument>) -> $instrument {
            let mut made = self.maker(&asked.name).$method(asked.name);
            made.description = asked.description;
            made.unit = asked.unit;
            made.build()
        })*
    };
}

macro_rules! with_edges {
    ($($method:ident -> $instrument:ty;)*) => {
        $(fn $method(&self, asked: HistogramBuilder<'_, $instrument>) -> $instrument {
            let mut made = self.maker(&asked.name).$method(asked.name);
            made.description = asked.description;
            made.unit = asked.unit;
            made.boundaries = asked.boundaries;
            made.build()
        })*
    };
}

macro_rules! observed {
    ($($method:ident: $number:ty => $instrument:ty;)*) => {
        $(fn $method(&self, asked: AsyncInstrumentBuilder<'_, $instrument, $number>) -> $instrument {
            let fenced = asked.callbacks.into_iter().map(|callback| fence(&asked.name, callback));
            let callbacks = fenced.collect();
            let mut made = self.maker(&asked.name).$method(asked.name);
            made.description = asked.description;
            made.unit = asked.unit;
            made.callbacks = callbacks;
            made.build()
        })*
    };
}

impl InstrumentProvider for Fenced {
    recorded! {
        u64_counter -> Counter<u64>;
        f64_counter -> Counter<f64>;
        i64_up_down_counter -> UpDownCounter<i64>;
        f64_up_down_counter -> UpDownCounter<f64>;
        u64_gauge -> Gauge<u64>;
        f64_gauge -> Gauge<f64>;
        i64_gauge -> Gauge<i64>;
    }

    with_edges! {
        f64_histogram -> Histogram<f64>;
        u64_histogram -> Histogram<u64>;
    }

    observed! {
        u64_observable_counter: u64 => ObservableCounter<u64>;
        f64_observable_counter: f64 => ObservableCounter<f64>;
        i64_observable_up_down_counter: i64 => ObservableUpDownCounter<i64>;
        f64_observable_up_down_counter: f64 => ObservableUpDownCounter<f64>;
        u64_observable_gauge: u64 => ObservableGauge<u64>;
        i64_observable_gauge: i64 => ObservableGauge<i64>;
        f64_observable_gauge: f64 => ObservableGauge<f64>;
    }
}
