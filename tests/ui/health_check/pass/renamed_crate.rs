//! The facade under another name, and through a macro of another crate.

mod telemetry {
    pub use instrument_inference::*;

    macro_rules! checked {
        ($name:ident, $state:ty, $key:literal, $body:block) => {
            #[instrument_inference::health_check(crate = $crate::telemetry, name = $key, cache = "1s")]
            fn $name(_: &$state) -> bool $body
        };
    }
    pub(crate) use checked;
}

// Shadows the facade for everything but `::` paths.
mod instrument_inference {}

#[::instrument_inference::health_check(crate = crate::telemetry)]
async fn by_module() -> bool {
    true
}

mod made {
    crate::telemetry::checked!(by_macro, std::sync::Arc<str>, "made", { true });

    pub(crate) fn name() -> String {
        format!("{:?}", crate::telemetry::check!(by_macro))
    }
}

fn main() {
    assert!(format!("{:?}", telemetry::check!(by_module)).contains("by_module"));
    assert!(made::name().contains("\"made\""));
}
