//! The facade under another name, and through a macro of another crate.

mod telemetry {
    pub use instrument_inference::*;

    macro_rules! measured {
        ($name:ident) => {
            #[instrument_inference::inference_stage("execute", crate = $crate::telemetry, labels(hit = true))]
            fn $name() {}
        };
    }
    pub(crate) use measured;
}

// Shadows the facade for everything but `::` paths.
mod instrument_inference {}

#[::instrument_inference::inference_stage("execute", crate = crate::telemetry)]
fn by_module() {}

mod made {
    crate::telemetry::measured!(by_macro);

    pub(crate) fn run() {
        by_macro();
    }
}

fn main() {
    by_module();
    made::run();
}
