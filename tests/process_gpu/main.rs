//! The metrics of GPUs, through the real nvml-wrapper: a stand-in for NVIDIA's library says what a test writes down, each
//! story in a process of its own. Where there is a real library, or a real GPU, they are asked too.
#![cfg(all(
    feature = "nvml",
    feature = "otlp",
    feature = "prometheus",
    feature = "health",
    target_os = "linux"
))]
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "nobody uses a test from outside"
)]

mod aligned;
#[path = "../process_otlp/collector.rs"]
#[allow(dead_code, reason = "others use more of it")]
mod collector;
mod library;
#[path = "../peers/peer.rs"]
mod peer;
#[path = "../process_otlp/points.rs"]
#[allow(dead_code, reason = "others use more of it")]
mod points;
#[path = "../peers/prometheus.rs"]
mod prometheus;
#[path = "../peers/story.rs"]
mod story;

use std::io::Write;
use std::path::Path;

macro_rules! stories {
    ($($story:ident $(with $variables:expr)?;)*) => {
        $(#[test]
        fn $story() {
            #[allow(unused_mut, unused_assignments, reason = "most stories have none")]
            let mut variables: &[(&str, &str)] = &[];
            $(variables = &$variables;)?
            library::tell(stringify!($story), variables);
        })*

        /// Not a test of its own: what a started process runs.
        #[test]
        fn story() {
            let Some(story) = story::wanted() else { return };
            match story.as_str() {
                $(stringify!($story) => told::$story(),)*
                "no_library" => told::no_library(),
                "no_driver" => told::no_driver(),
                "real" => told::real(),
                "permission" => told::permission(),
                "aligned" => aligned::one_query(),
                other => panic!("no story {other}"),
            }
            println!("story told");
        }
    };
}

stories! {
    every_reading_is_what_nvml_says;
    families_and_labels_are_those_of_the_catalogue;
    without_a_device_the_state_says_so;
    a_driver_that_was_updated_is_a_mismatch_until_the_library_is_too;
    a_container_that_lost_its_device_files_shows_nothing_and_recovers;
    what_a_device_does_not_have_is_asked_once;
    one_gpu_lost_among_eight_is_failed_and_the_others_go_on;
    a_call_that_hangs_keeps_no_scrape_and_no_stop_waiting;
    a_library_that_hangs_at_once_keeps_no_start_and_no_stop_waiting;
    over_otlp_they_are_named_as_the_conventions_have_it;
    mig_instances_show_their_memory_and_no_utilization with [("CUDA_VISIBLE_DEVICES", "0")];
    an_xid_event_is_counted_and_fails_the_device;
    numbers_among_different_devices_need_the_order_of_the_bus with [("CUDA_VISIBLE_DEVICES", "0")];
    only_visible_devices_are_shown with [("CUDA_VISIBLE_DEVICES", "GPU-2,1,-1,0")];
    memory_errors_that_come_condemn_and_those_that_were_do_not;
    trouble_with_asking_is_no_verdict;
    where_dcgm_shows_them_only_health_reads_them;
    where_telemetry_is_disabled_health_goes_on with [("INSTRUMENT_DISABLED", "1")];
}

#[test]
fn without_the_library_the_service_is_unaffected() {
    let said = library::tell_without("no_library");
    // a machine without GPUs is nothing to tell
    assert_eq!(story::said(&said), [""; 0]);
}

#[test]
fn who_may_not_ask_is_told_once() {
    let said = library::tell("permission", &[]);
    let said = story::said(&said);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("permission"), "{said:?}");
}

#[test]
fn one_query_shows_memory_utilization_and_latency_of_one_replica_at_the_same_times() {
    if peer::require("prometheus").is_some() {
        library::tell("aligned", &[]);
    }
}

#[test]
fn nvidias_own_library_without_a_driver_says_so() {
    // not the device file: the library makes one where it may
    if Path::new("/proc/driver/nvidia/version").exists() {
        skipped("this machine has the driver");
    } else if let Some(file) = peer::find("libnvidia-ml.so.1") {
        let folder = file.parent().expect("it is in a folder");
        library::tell_with(folder, "no_driver", &[]);
    } else {
        skipped(
            "libnvidia-ml.so.1 is not here; tests/run sets it up where Debian's non-free is at hand",
        );
    }
}

#[test]
fn a_real_gpu_says_what_it_is() {
    if Path::new("/dev/nvidia0").exists() {
        story::tell("real", &[]);
    } else {
        skipped("this machine has no GPU of NVIDIA's");
    }
}

/// Not `eprintln!`, which the test harness keeps to itself while a test passes.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

mod told {
    use crate::collector::{Collector, Speaks};
    use crate::library::{asked, device, machine, says, until_asked};
    use crate::story::{PATIENCE, until};
    use instrument_inference::{CATALOG, Telemetry, Verdict, inference_request};
    use std::collections::BTreeSet;
    use std::time::{Duration, SystemTime};

    #[inference_request(ingress = "http")]
    fn predict() -> u8 {
        1
    }

    fn install() -> Telemetry {
        Telemetry::builder("story")
            .from_env()
            .install()
            .expect("it starts")
    }

    /// What health says of the devices, and its check.
    fn health(telemetry: &Telemetry) -> (Option<bool>, Option<Verdict>) {
        let report = telemetry.health();
        (report.gpu_health(), report.verdict("device"))
    }

    const WELL: (Option<bool>, Option<Verdict>) = (Some(true), Some(Verdict::Up));
    const BROKEN: (Option<bool>, Option<Verdict>) = (Some(false), Some(Verdict::Down));
    const NONE_EXPECTED: (Option<bool>, Option<Verdict>) = (None, None);

    fn stop(telemetry: &Telemetry) {
        telemetry.shutdown_blocking(PATIENCE).expect("it stops");
    }

    /// The lines of a scrape with this beginning and all of these labels.
    fn lines(telemetry: &Telemetry, name: &str, labels: &[&str]) -> Vec<String> {
        let text = telemetry.scrape();
        let lines = text.lines().filter(|line| {
            let rest = line.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with([' ', '{']))
                && labels.iter().all(|label| line.contains(label))
        });
        lines.map(str::to_owned).collect()
    }

    /// The one value.
    #[track_caller]
    fn value(telemetry: &Telemetry, name: &str, labels: &[&str]) -> Option<f64> {
        let lines = lines(telemetry, name, labels);
        assert!(lines.len() < 2, "{lines:?}");
        let (_, value) = lines.first()?.rsplit_once(' ')?;
        Some(value.parse().expect("a number"))
    }

    #[track_caller]
    fn until_state(telemetry: &Telemetry, state: &str) {
        let label = format!("state=\"{state}\"");
        until(&label, || {
            value(telemetry, "inference_gpu_collector_state", &[&label]) == Some(1.0)
        });
        let states = lines(telemetry, "inference_gpu_collector_state", &[]);
        let on = states.iter().filter(|line| line.ends_with(" 1"));
        assert_eq!((states.len(), on.count()), (8, 1), "{states:?}");
    }

    fn errors(telemetry: &Telemetry, code: &str) -> Option<f64> {
        let code = format!("code=\"{code}\"");
        value(telemetry, "inference_gpu_collector_errors_total", &[&code])
    }

    /// What is said of the first device, one family each.
    const GAUGES: [(&str, f64); 6] = [
        ("hw_gpu_utilization_ratio", 0.37),
        ("hw_gpu_memory_usage_bytes", 1_024.0),
        ("hw_gpu_memory_limit_bytes", 4_096.0),
        ("inference_gpu_process_memory_bytes", 512.0),
        ("hw_power_watts", 150.5),
        ("hw_temperature_celsius", 51.0),
    ];

    #[track_caller]
    fn shows_nothing(telemetry: &Telemetry) {
        for name in GAUGES.map(|(name, _)| name) {
            assert_eq!(lines(telemetry, name, &[]), [""; 0]);
        }
        assert_eq!(lines(telemetry, "hw_energy_joules_total", &[]), [""; 0]);
    }

    fn serves(telemetry: &Telemetry) {
        let before = value(telemetry, "inference_requests_total", &["outcome=\"ok\""]);
        assert_eq!(predict(), 1);
        let after = value(telemetry, "inference_requests_total", &["outcome=\"ok\""]);
        assert_eq!(after, Some(before.unwrap_or_default() + 1.0));
    }

    pub(crate) fn every_reading_is_what_nvml_says() {
        says(&machine(1));
        let telemetry = install();
        until_state(&telemetry, "ok");
        let who = [
            "hw_id=\"GPU-0\"",
            "hw_type=\"gpu\"",
            "hw_name=\"NVIDIA Stand-in\"",
            "hw_vendor=\"NVIDIA\"",
        ];
        for (name, expected) in GAUGES {
            let found = value(&telemetry, name, &who);
            assert_eq!(found, Some(expected), "{name}");
        }
        let energy = value(&telemetry, "hw_energy_joules_total", &who);
        assert_eq!(energy, Some(12_345.678));
        let error = |kind: &str| value(&telemetry, "hw_errors_total", &[kind]);
        assert_eq!(error("error_type=\"corrected\""), Some(3.0));
        assert_eq!(error("error_type=\"uncorrected\""), Some(0.0));
        for (state, is) in [("ok", 1.0), ("degraded", 0.0), ("failed", 0.0)] {
            let state = format!("hw_state=\"{state}\"");
            assert_eq!(value(&telemetry, "hw_status", &[&state]), Some(is));
        }
        let throttled = lines(&telemetry, "inference_gpu_throttled", &[]);
        let on: Vec<_> = throttled
            .iter()
            .filter(|line| line.ends_with(" 1"))
            .collect();
        assert_eq!((throttled.len(), on.len()), (6, 1));
        assert!(on[0].contains("reason=\"sw_power_cap\""), "{on:?}");
        let info = lines(&telemetry, "inference_gpu_info", &[]);
        let expected = "inference_gpu_info{driver_version=\"570.1\",hw_id=\"GPU-0\",mig=\"false\",\
                        name=\"NVIDIA Stand-in\"} 1";
        assert_eq!(info, [expected]);
        let name = "inference_gpu_collector_last_success_timestamp_seconds";
        let success = value(&telemetry, name, &[]).expect("it answered");
        let success = SystemTime::UNIX_EPOCH + Duration::from_secs_f64(success);
        assert!(success.elapsed().unwrap_or_default() < PATIENCE);
        stop(&telemetry);
        // the library is closed before the process ends
        assert_eq!(asked("shutdown"), asked("init"));
    }

    pub(crate) fn families_and_labels_are_those_of_the_catalogue() {
        let script = machine(1).replace("0.throttle = 4", "0.throttle = !999");
        says(&script.replace("0.xids = ", "0.xids = 31"));
        let telemetry = install();
        until_state(&telemetry, "ok");
        says(&machine(1));
        until("it says all again", || {
            !lines(&telemetry, "inference_gpu_throttled", &[]).is_empty()
        });
        for family in CATALOG {
            let is_of_devices = ["hw_", "inference_gpu_"].iter();
            if !is_of_devices
                .into_iter()
                .any(|beginning| family.name.starts_with(beginning))
            {
                continue;
            }
            let lines = lines(&telemetry, family.name, &[]);
            assert!(!lines.is_empty(), "{} is not seen", family.name);
            let pairs = lines.iter().flat_map(|line| line.split(['{', ',', '}']));
            let seen = pairs.filter_map(|pair| Some(pair.split_once('=')?.0));
            let known = family.labels.iter().copied().collect::<BTreeSet<_>>();
            let other: BTreeSet<_> = seen.filter(|label| !known.contains(label)).collect();
            assert!(other.is_empty(), "{}: {other:?}", family.name);
        }
        stop(&telemetry);
    }

    pub(crate) fn no_library() {
        let telemetry = install();
        until_state(&telemetry, "no_library");
        assert!(errors(&telemetry, "no_library") >= Some(1.0));
        shows_nothing(&telemetry);
        serves(&telemetry);
        stop(&telemetry);
    }

    pub(crate) fn no_driver() {
        let telemetry = install();
        until_state(&telemetry, "no_device");
        assert!(errors(&telemetry, "driver_not_loaded") >= Some(1.0));
        serves(&telemetry);
        stop(&telemetry);
    }

    pub(crate) fn real() {
        let telemetry = install();
        until_state(&telemetry, "ok");
        for name in [
            "hw_gpu_memory_limit_bytes",
            "hw_temperature_celsius",
            "inference_gpu_info",
        ] {
            assert!(!lines(&telemetry, name, &[]).is_empty(), "{name}");
        }
        println!(
            "{}",
            lines(&telemetry, "inference_gpu_info", &[]).join("\n")
        );
        stop(&telemetry);
    }

    pub(crate) fn without_a_device_the_state_says_so() {
        says(&machine(0));
        let telemetry = install();
        until_state(&telemetry, "no_device");
        shows_nothing(&telemetry);
        assert_eq!(health(&telemetry), NONE_EXPECTED);
        // a device that is not there is no error
        assert_eq!(
            lines(&telemetry, "inference_gpu_collector_errors_total", &[]),
            [""; 0]
        );
        says(&machine(1));
        until_state(&telemetry, "ok");
        stop(&telemetry);
    }

    pub(crate) fn a_driver_that_was_updated_is_a_mismatch_until_the_library_is_too() {
        says("init = !18\n");
        let telemetry = install();
        until_state(&telemetry, "driver_mismatch");
        assert!(errors(&telemetry, "driver_mismatch") >= Some(1.0));
        serves(&telemetry);
        says(&machine(1));
        until_state(&telemetry, "ok");
        stop(&telemetry);
    }

    pub(crate) fn a_container_that_lost_its_device_files_shows_nothing_and_recovers() {
        says(&machine(1));
        let telemetry = install();
        until_state(&telemetry, "ok");
        says(&format!("{}0 = !999\n", machine(1)));
        until_state(&telemetry, "error");
        shows_nothing(&telemetry);
        assert_eq!(lines(&telemetry, "hw_status", &[]), [""; 0]);
        assert!(errors(&telemetry, "unknown") >= Some(1.0));
        says(&machine(1));
        until_state(&telemetry, "ok");
        assert_eq!(value(&telemetry, "hw_temperature_celsius", &[]), Some(51.0));
        stop(&telemetry);
    }

    pub(crate) fn permission() {
        says("init = !4\n");
        let telemetry = install();
        until_state(&telemetry, "permission");
        // and of a device
        says(&format!("{}0 = !4\n", machine(1)));
        until("the device is known", || {
            !lines(&telemetry, "inference_gpu_info", &[]).is_empty()
        });
        until_state(&telemetry, "permission");
        shows_nothing(&telemetry);
        stop(&telemetry);
    }

    pub(crate) fn what_a_device_does_not_have_is_asked_once() {
        let script = machine(1).replace("0.energy = 12345678\n", "");
        says(&script);
        let telemetry = install();
        until_asked("0.temperature", 4);
        assert_eq!(asked("0.energy"), 1);
        assert_eq!(errors(&telemetry, "not_supported"), Some(1.0));
        until_state(&telemetry, "ok");
        assert_eq!(lines(&telemetry, "hw_energy_joules_total", &[]), [""; 0]);
        assert_eq!(value(&telemetry, "hw_power_watts", &[]), Some(150.5));
        stop(&telemetry);
    }

    pub(crate) fn one_gpu_lost_among_eight_is_failed_and_the_others_go_on() {
        says(&machine(8));
        let telemetry = install();
        until_state(&telemetry, "ok");
        says(&format!("{}3 = !15\n", machine(8)));
        until_state(&telemetry, "lost");
        assert_eq!(lines(&telemetry, "hw_temperature_celsius", &[]).len(), 7);
        let lost = ["hw_id=\"GPU-3\"", "hw_state=\"failed\""];
        assert_eq!(value(&telemetry, "hw_status", &lost), Some(1.0));
        let failed = lines(&telemetry, "hw_status", &["hw_state=\"failed\""]);
        let count = failed.iter().filter(|line| line.ends_with(" 1")).count();
        assert_eq!((failed.len(), count), (8, 1));
        assert_eq!(health(&telemetry), BROKEN);
        // they are read on
        says(
            &format!("{}3 = !15\n", machine(8)).replace("0.temperature = 51", "0.temperature = 64"),
        );
        until("the others go on", || {
            value(&telemetry, "hw_temperature_celsius", &["GPU-0"]) == Some(64.0)
        });
        // it was reset
        says(&machine(8));
        until("it is well again", || health(&telemetry) == WELL);
        stop(&telemetry);
    }

    pub(crate) fn a_call_that_hangs_keeps_no_scrape_and_no_stop_waiting() {
        says(&machine(1));
        let telemetry = install();
        until_state(&telemetry, "ok");
        says(&machine(1).replace("0.temperature = 51", "0.temperature = hang"));
        // each of these looks is a scrape that did not wait
        until("what is old is left out", || {
            lines(&telemetry, "hw_temperature_celsius", &[]).is_empty()
        });
        until_state(&telemetry, "error");
        assert_eq!(errors(&telemetry, "hung"), Some(1.0));
        shows_nothing(&telemetry);
        serves(&telemetry);
        let last = "inference_gpu_collector_last_success_timestamp_seconds";
        assert!(value(&telemetry, last, &[]).is_some());
        // it returns after all
        says(&machine(1));
        until_state(&telemetry, "ok");
        assert_eq!(errors(&telemetry, "hung"), Some(1.0));
        // and hangs for ever
        says(&machine(1).replace("0.temperature = 51", "0.temperature = hang"));
        until_asked("hangs", 2);
        stop(&telemetry);
    }

    pub(crate) fn a_library_that_hangs_at_once_keeps_no_start_and_no_stop_waiting() {
        says("init = hang\n");
        let telemetry = install();
        until_asked("hangs", 1);
        shows_nothing(&telemetry);
        // nothing is known yet
        let states = lines(&telemetry, "inference_gpu_collector_state", &[]);
        assert_eq!(states, [""; 0]);
        serves(&telemetry);
        stop(&telemetry);
    }

    pub(crate) fn over_otlp_they_are_named_as_the_conventions_have_it() {
        says(&machine(1));
        let collector = Collector::start(Speaks::Http);
        let telemetry = Telemetry::builder("story")
            .otlp_endpoint(collector.endpoint())
            .install()
            .expect("it starts");
        until_state(&telemetry, "ok");
        stop(&telemetry);
        let pushed = collector.last();
        let who = "hw.id=\"GPU-0\",hw.name=\"NVIDIA Stand-in\"";
        let kind = "hw.type=\"gpu\",hw.vendor=\"NVIDIA\"";
        let plain = format!("{who},{kind}");
        for (point, value) in [
            (
                format!("hw.gpu.utilization{{hw.gpu.task=\"general\",{plain}}}"),
                0.37,
            ),
            (format!("hw.gpu.memory.usage{{{plain}}}"), 1_024.0),
            (format!("hw.energy{{{plain}}}"), 12_345.678),
            (
                format!("hw.errors{{error.type=\"corrected\",{plain}}}"),
                3.0,
            ),
            (format!("hw.status{{{who},hw.state=\"ok\",{kind}}}"), 1.0),
        ] {
            assert_eq!(pushed.get(&point), Some(&value), "{point}: {pushed:#?}");
        }
    }

    pub(crate) fn mig_instances_show_their_memory_and_no_utilization() {
        let instance = |number: u32, uuid: &str| {
            format!(
                "0.mig{number}.uuid = {uuid}\n\
                 0.mig{number}.name = NVIDIA Stand-in MIG 1g\n\
                 0.mig{number}.memory = {number} 2048\n"
            )
        };
        // numbers have gaps
        let instances = [instance(0, "MIG-a"), instance(3, "MIG-b")].concat();
        let divided = device(0).replace("0.utilization = 37\n", "0.utilization = 0\n");
        says(&format!(
            "init = 0\ndriver = 570.1\ncount = 1\n{divided}0.mig = 7\n{instances}"
        ));
        let telemetry = install();
        until_state(&telemetry, "ok");
        let memory = |uuid: &str| {
            let uuid = format!("hw_id=\"{uuid}\"");
            let labels = [&uuid, "hw_parent=\"GPU-0\""];
            value(&telemetry, "hw_gpu_memory_usage_bytes", &labels)
        };
        assert_eq!((memory("MIG-a"), memory("MIG-b")), (Some(0.0), Some(3.0)));
        assert_eq!(lines(&telemetry, "hw_gpu_utilization_ratio", &[]), [""; 0]);
        assert_eq!(lines(&telemetry, "hw_temperature_celsius", &[]).len(), 1);
        assert_eq!(
            lines(&telemetry, "inference_gpu_info", &["mig=\"true\""]).len(),
            3
        );
        stop(&telemetry);
    }

    pub(crate) fn an_xid_event_is_counted_and_fails_the_device() {
        says(&machine(2));
        let telemetry = install();
        until_state(&telemetry, "ok");
        let xid = |number: u32| {
            let kind = format!("error_type=\"xid_{number}\"");
            value(&telemetry, "hw_errors_total", &["hw_id=\"GPU-1\"", &kind])
        };
        let failed = |device: &str| {
            let labels = [device, "hw_state=\"failed\""];
            value(&telemetry, "hw_status", &labels)
        };
        says(&machine(2).replace("1.xids = ", "1.xids = 31 31"));
        until("the events are counted", || xid(31) == Some(2.0));
        // a program's own mistake
        assert_eq!(failed("GPU-1"), Some(0.0));
        assert_eq!(health(&telemetry), WELL);
        says(&machine(2).replace("1.xids = ", "1.xids = 31 31 79"));
        until("the event is counted", || xid(79) == Some(1.0));
        assert_eq!((failed("GPU-1"), failed("GPU-0")), (Some(1.0), Some(0.0)));
        assert_eq!(xid(31), Some(2.0));
        assert_eq!(health(&telemetry), BROKEN);
        stop(&telemetry);
    }

    pub(crate) fn only_visible_devices_are_shown() {
        says(&machine(3));
        let telemetry = install();
        until_state(&telemetry, "ok");
        let shown = lines(&telemetry, "inference_gpu_info", &[]);
        assert_eq!(shown.len(), 2, "{shown:?}");
        assert!(
            shown.iter().all(|line| !line.contains("GPU-0")),
            "{shown:?}"
        );
        assert_eq!(asked("0.temperature"), 0);
        stop(&telemetry);
    }

    pub(crate) fn numbers_among_different_devices_need_the_order_of_the_bus() {
        says(&machine(2).replace("1.name = NVIDIA Stand-in", "1.name = NVIDIA Other"));
        let telemetry = install();
        until_state(&telemetry, "error");
        assert!(errors(&telemetry, "ambiguous_order") >= Some(1.0));
        shows_nothing(&telemetry);
        stop(&telemetry);
    }

    pub(crate) fn where_dcgm_shows_them_only_health_reads_them() {
        says(&machine(1));
        let telemetry = Telemetry::builder("story")
            .gpu_metrics(false)
            .install()
            .expect("it starts");
        until_state(&telemetry, "disabled");
        until("they are read", || health(&telemetry) == WELL);
        shows_nothing(&telemetry);
        says(&format!("{}0 = !15\n", machine(1)));
        until("it is lost", || health(&telemetry) == BROKEN);
        shows_nothing(&telemetry);
        stop(&telemetry);
    }

    pub(crate) fn memory_errors_that_come_condemn_and_those_that_were_do_not() {
        let with = |errors: &str| {
            machine(1).replace("0.uncorrected = 0", &format!("0.uncorrected = {errors}"))
        };
        says(&with("2"));
        let telemetry = install();
        until_state(&telemetry, "ok");
        // of another day
        assert_eq!(health(&telemetry), WELL);
        says(&with("3"));
        until("one has come", || health(&telemetry) == BROKEN);
        stop(&telemetry);
    }

    pub(crate) fn trouble_with_asking_is_no_verdict() {
        says(&machine(1));
        let telemetry = install();
        until_state(&telemetry, "ok");
        assert_eq!(health(&telemetry), WELL);
        // no permission, a driver of another version, an unknown error
        for (code, state) in [
            ("4", "permission"),
            ("18", "driver_mismatch"),
            ("999", "error"),
        ] {
            says(&format!("{}0 = !{code}\n", machine(1)));
            until_state(&telemetry, state);
            assert_eq!(health(&telemetry), WELL, "{state}");
        }
        stop(&telemetry);
    }

    pub(crate) fn where_telemetry_is_disabled_health_goes_on() {
        says(&machine(1));
        let telemetry = install();
        assert!(!telemetry.is_enabled());
        until("they are read", || health(&telemetry) == WELL);
        says(&format!("{}0 = !15\n", machine(1)));
        until("it is lost", || health(&telemetry) == BROKEN);
        assert_eq!(telemetry.scrape(), "");
        stop(&telemetry);
    }
}
