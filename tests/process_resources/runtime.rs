//! How late the application's runtime is.

pub mod told {
    use crate::story::until;
    use crate::{builder, stop, value};
    use std::sync::mpsc::channel;
    use tokio::runtime::Builder;

    const LAG: &str = "inference_runtime_lag_seconds";

    pub fn a_runtime_that_is_blocked_is_late() {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .build()
            .unwrap();
        let inside = runtime.enter();
        let telemetry = builder().install().unwrap();
        drop(inside);
        until("it is asked", || value(&telemetry, LAG).is_some());
        let (go, wait) = channel::<()>();
        runtime.spawn(async move { wait.recv() });
        // while nothing runs
        until("it is overdue", || {
            value(&telemetry, LAG).is_some_and(|lag| lag > 0.5)
        });
        let late = value(&telemetry, LAG).unwrap();
        until("it grows", || {
            value(&telemetry, LAG).is_some_and(|lag| lag > late)
        });
        let late = value(&telemetry, LAG).unwrap();
        drop(go);
        let (done, ran) = channel::<()>();
        runtime.spawn(async move { drop(done) });
        assert!(ran.recv().is_err(), "it runs again");
        // and remembered, so that the next scrape sees it too
        assert!(value(&telemetry, LAG).is_some_and(|lag| lag >= late));
        stop(&telemetry);
    }

    pub fn without_a_runtime_nothing_is_late() {
        let telemetry = builder().install().unwrap();
        until("it is scraped twice", || {
            assert_eq!(value(&telemetry, LAG), None);
            value(&telemetry, "inference_scrape_duration_seconds").is_some()
        });
        stop(&telemetry);
    }

    pub fn a_runtime_that_has_ended_is_not_late() {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .build()
            .unwrap();
        let telemetry = runtime.block_on(async { builder().install().unwrap() });
        until("it is asked", || value(&telemetry, LAG).is_some());
        drop(runtime);
        assert_eq!(value(&telemetry, LAG), None);
        stop(&telemetry);
    }
}
