//! What an engine says of its devices.

use crate::story::until;
use crate::{builder, install, probe, stop, threads, value};
use instrument_inference::{
    Classify, DeviceEvent, DeviceReading, ErrorType, Telemetry, check, health_check,
    inference_stage,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

const ALLOCATED: &str = "inference_device_allocator_bytes{device=\"0\",state=\"allocated\"}";
const RETRIES: &str = "inference_device_events_total{device=\"GPU-1\",event=\"alloc_retry\",model=\"none\",version=\"none\"}";

pub mod told {
    use super::*;

    pub fn a_fault_takes_the_service_out_of_rotation_until_it_is_over() {
        let (telemetry, health) = install(builder());
        let before = probe(health, "/health").body;
        assert!(!before.contains("gpu_health"), "none is expected: {before}");
        telemetry.device_event("0", DeviceEvent::AllocRetry);
        assert!(!probe(health, "/health").body.contains("gpu_health"));
        telemetry.device_event("0", DeviceEvent::Fault);
        let answer = probe(health, "/readyz");
        assert_eq!(answer.status, 503);
        assert!(
            answer.body.contains("\"reason\":\"device_fault\""),
            "{}",
            answer.body
        );
        assert!(
            probe(health, "/health")
                .body
                .contains("\"gpu_health\":false")
        );
        assert_eq!(
            probe(health, "/livez").status,
            200,
            "nobody is restarted for it"
        );
        assert_eq!(probe(health, "/readyz?exclude=device").status, 200);
        assert_eq!(probe(health, "/readyz/device").status, 503);
        telemetry.device_event("0", DeviceEvent::FaultRecovered);
        assert_eq!(probe(health, "/readyz").status, 200);
        assert!(
            probe(health, "/health")
                .body
                .contains("\"gpu_health\":true")
        );
        for event in ["alloc_retry", "fault", "fault_recovered"] {
            let series = format!(
                "inference_device_events_total{{device=\"0\",event=\"{event}\",model=\"none\",version=\"none\"}}"
            );
            assert_eq!(value(&telemetry, &series), Some(1.0), "{event}");
        }
        stop(&telemetry);
    }

    /// As an engine's own error type says it.
    #[derive(Debug, Classify)]
    enum Failed {
        #[classify(device_fault)]
        IllegalAccess,
        #[classify(source)]
        Other(String),
        #[classify(cuda_oom)]
        NoMemory,
    }

    type Answer = Result<(), Failed>;

    #[inference_stage("execute", device = gpu)]
    fn execute(gpu: u32, answer: Answer) -> Answer {
        answer
    }

    #[inference_stage("execute", batch = answers.len(), device = 1)]
    fn execute_all(answers: Vec<Answer>) -> Vec<Answer> {
        answers
    }

    fn of_type(_: &String) -> ErrorType {
        ErrorType::DeviceFault
    }

    #[inference_stage("tokenize", error = of_type)]
    fn tokenize() -> Result<(), String> {
        Err(String::new())
    }

    pub fn an_error_of_the_device_that_sticks_takes_the_service_out_of_rotation() {
        let (telemetry, health) = install(builder());
        let other = || Failed::Other("CUDA error: device-side assert triggered".to_owned());
        for _ in 0..4 {
            // what a caller may have written, what is no execution, what ends, and what is no fault
            let _ = execute(0, Err(other()));
            let _ = tokenize();
            let _ = execute(0, Err(Failed::IllegalAccess));
            let _ = execute(0, Ok(()));
            let _ = execute(0, Err(Failed::NoMemory));
            let _ = execute_all(vec![Err(Failed::IllegalAccess), Ok(())]);
        }
        let one = value(
            &telemetry,
            "inference_batch_duration_seconds_count{device=\"0\",model=\"none\",outcome=\"error\",version=\"none\"}",
        );
        assert_eq!(one, Some(12.0));
        assert_eq!(probe(health, "/readyz").status, 200);
        assert!(!probe(health, "/health").body.contains("gpu_health"));
        let is_out = || {
            let answer = probe(health, "/readyz");
            answer.status == 503 && answer.body.contains("\"reason\":\"device_fault\"")
        };
        let _ = execute(0, Err(Failed::IllegalAccess));
        let _ = execute(0, Err(Failed::IllegalAccess));
        until("it is out", is_out);
        // of another device
        let _ = execute_all(vec![Ok(())]);
        let _ = execute(0, Ok(()));
        until("it is back", || probe(health, "/readyz").status == 200);
        for _ in 0..2 {
            let _ = execute_all(vec![Err(Failed::IllegalAccess), Err(Failed::NoMemory)]);
        }
        until("it is out", is_out);
        assert_eq!(probe(health, "/livez").status, 200);
        stop(&telemetry);
    }

    pub fn a_service_may_do_without_the_check() {
        let (telemetry, health) = install(builder().without_check("device"));
        telemetry.device_event("0", DeviceEvent::Fault);
        assert_eq!(probe(health, "/readyz").status, 200);
        assert!(
            probe(health, "/health")
                .body
                .contains("\"gpu_health\":false")
        );
        stop(&telemetry);
    }

    pub fn an_engine_is_asked_for_what_it_knows_and_for_nothing_else() {
        let (telemetry, _) = install(builder());
        telemetry.device_stats("0", || {
            DeviceReading::new().allocated(1 << 20).reserved(1 << 21)
        });
        until("it is shown", || {
            value(&telemetry, ALLOCATED) == Some(1_048_576.0)
        });
        let scrape = telemetry.scrape();
        assert!(scrape.contains("state=\"reserved\"} 2097152"), "{scrape}");
        assert!(!scrape.contains("state=\"inactive\""), "{scrape}");
        let retries = Arc::new(AtomicU64::new(5));
        let engine = Arc::clone(&retries);
        telemetry.device_stats("GPU-1", move || {
            DeviceReading::new().alloc_retries(engine.load(Ordering::Relaxed))
        });
        until("they are counted", || {
            value(&telemetry, RETRIES) == Some(5.0)
        });
        // it is started again
        retries.store(2, Ordering::Relaxed);
        until("they are counted on", || {
            value(&telemetry, RETRIES) == Some(7.0)
        });
        // the same one, asked by somebody else: a model that was loaded again
        let (engine, asked) = (Arc::clone(&retries), Arc::new(AtomicU64::new(0)));
        let times = Arc::clone(&asked);
        telemetry.device_stats("GPU-1", move || {
            times.fetch_add(1, Ordering::Relaxed);
            DeviceReading::new().alloc_retries(engine.load(Ordering::Relaxed))
        });
        until("it is asked twice", || asked.load(Ordering::Relaxed) > 1);
        assert_eq!(value(&telemetry, RETRIES), Some(7.0));
        stop(&telemetry);
    }

    pub fn an_engine_that_panics_or_hangs_is_its_own_trouble() {
        let (telemetry, health) = install(builder());
        let hangs = Arc::new(AtomicBool::new(false));
        let inside = Arc::clone(&hangs);
        telemetry.device_stats("1", || panic!("boom"));
        telemetry.device_stats("2", move || {
            inside.store(true, Ordering::Release);
            loop {
                std::thread::park();
            }
        });
        telemetry.device_stats("0", || DeviceReading::new().allocated(7));
        until("it hangs", || hangs.load(Ordering::Acquire));
        until("the others are asked", || {
            value(&telemetry, ALLOCATED) == Some(7.0)
        });
        assert_eq!(probe(health, "/readyz").status, 200);
        assert!(!probe(health, "/health").body.contains("gpu_health"));
        stop(&telemetry);
    }

    /// Tells of a fault and its end, when it is dropped too.
    struct Telling(Telemetry);

    impl Telling {
        fn tell(&self) {
            self.0.device_event("0", DeviceEvent::Fault);
            self.0.device_event("0", DeviceEvent::FaultRecovered);
        }
    }

    impl Drop for Telling {
        fn drop(&mut self) {
            self.tell();
        }
    }

    static INSTALLED: OnceLock<Telemetry> = OnceLock::new();

    #[health_check(cache = "1s")]
    fn telling() {
        drop(INSTALLED.get().cloned().map(Telling));
    }

    pub fn faults_may_be_told_from_anywhere_and_hang_nobody() {
        let (telemetry, health) = install(builder().checks([check!(telling)]));
        INSTALLED.set(telemetry.clone()).expect("it is the first");
        let inside = Telling(telemetry.clone());
        let meter = telemetry.meter();
        let gauge = meter.u64_observable_gauge("telling");
        let told = gauge.with_callback(move |point| {
            inside.tell();
            point.observe(1, &[]);
        });
        let _ = told.build();
        let ask = || {
            let engine = Telling(telemetry.clone());
            telemetry.device_stats("0", move || {
                engine.tell();
                DeviceReading::new().ooms(u64::MAX)
            });
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).for_each(|_| drop(Telling(telemetry.clone()))));
            }
            for _ in 0..20 {
                ask();
                assert_eq!(probe(health, "/livez").status, 200);
                assert_eq!(value(&telemetry, "telling"), Some(1.0));
            }
        });
        until("all is over", || probe(health, "/readyz").status == 200);
        until("one is asked", || threads("instrument-engi") == 1);
        stop(&telemetry);
        ask();
        until("nobody is asked", || threads("instrument-engi") == 0);
    }
}
