//! The facade under another name.

mod telemetry {
    pub use instrument_inference::*;
}

// Shadows the facade for everything but `::` paths.
mod instrument_inference {}

#[derive(telemetry::LabelValue)]
#[label(crate = crate::telemetry)]
enum Tier {
    Free,
    Paid,
}

fn main() {
    use telemetry::LabelValue;
    assert_eq!(Tier::Free.value(), Some("free"));
    assert_eq!(Tier::Paid.index(), 1);
}
