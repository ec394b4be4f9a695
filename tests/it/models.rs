//! Models: loaded, ready, failed, unloaded, and what is shown of it.

use crate::support::{counts, shown};
use instrument_inference::ErrorType;
use instrument_inference::testing::Rig;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

fn ready(rig: &Rig) -> Option<f64> {
    rig.value("inference_model_ready{model=\"m\",version=\"1\"}")
}

fn loads(rig: &Rig) -> String {
    shown(&counts(
        rig,
        "inference_model_loads_total",
        &["result", "error_type"],
    ))
}

#[test]
fn a_load_is_timed_and_makes_ready() {
    let rig = Rig::new();
    let slot = rig.model("m", "1").platform("onnx");
    assert_eq!((ready(&rig), slot.is_ready()), (Some(0.0), false));
    assert_eq!(
        rig.value("inference_model_load_duration_seconds{model=\"m\",version=\"1\"}"),
        None
    );
    let loaded: Result<u8, ErrorType> = slot.load(|| {
        rig.advance(Duration::from_millis(1_500));
        Ok(7)
    });
    assert_eq!(loaded, Ok(7));
    assert_eq!((ready(&rig), slot.is_ready()), (Some(1.0), true));
    assert_eq!(
        rig.value("inference_model_load_duration_seconds{model=\"m\",version=\"1\"}"),
        Some(1.5)
    );
    assert_eq!(
        rig.value("inference_model_info{model=\"m\",platform=\"onnx\",version=\"1\"}"),
        Some(1.0)
    );
    assert_eq!(loads(&rig), "ok  1");
}

#[test]
fn a_load_that_fails_by_any_way_is_failed() {
    let rig = Rig::new();
    let slot = rig.model("m", "1");
    assert!(slot.load(|| Err::<(), _>(ErrorType::Unavailable)).is_err());
    assert!(
        catch_unwind(AssertUnwindSafe(
            || slot.load(|| -> Result<(), ()> { panic!("broken") })
        ))
        .is_err()
    );
    {
        use futures::FutureExt;
        let never = slot.load_async(std::future::pending::<Result<(), ()>>());
        assert!(never.now_or_never().is_none());
    }
    assert_eq!(loads(&rig), "error model_load 3");
    slot.ready();
    slot.failed(&ErrorType::DeviceFault);
    assert_eq!((ready(&rig), slot.is_ready()), (Some(0.0), false));
    assert_eq!(loads(&rig), "error device_fault 1, error model_load 3");
}

#[test]
fn what_is_loaded_again_goes_on_counting() {
    let rig = Rig::new();
    let slot = rig.model("m", "1");
    for _ in 0..2 {
        assert!(slot.load(|| Ok::<_, ()>(())).is_ok());
        slot.unload();
        assert_eq!(ready(&rig), Some(0.0));
    }
    assert!(rig.model("m", "1").load(|| Ok::<_, ()>(())).is_ok());
    assert_eq!((ready(&rig), loads(&rig).as_str()), (Some(1.0), "ok  3"));
}

#[test]
fn a_version_that_was_unloaded_long_ago_is_left_out_until_it_is_loaded_again() {
    let rig = Rig::new();
    let (old, _new) = (rig.model("m", "1"), rig.model("m", "2"));
    old.ready();
    old.unload();
    rig.advance(Duration::from_secs(3_500));
    assert_eq!(ready(&rig), Some(0.0));
    rig.advance(Duration::from_secs(200));
    assert!(!rig.scrape().contains("version=\"1\""), "{}", rig.scrape());
    assert!(rig.scrape().contains("version=\"2\""));
    old.ready();
    assert_eq!(ready(&rig), Some(1.0));
}

#[test]
fn when_every_version_was_unloaded_long_ago_there_is_still_a_scrape() {
    let rig = Rig::new();
    let slot = rig.model("m", "1");
    assert!(slot.load(|| Ok::<_, ()>(())).is_ok());
    slot.unload();
    rig.advance(Duration::from_secs(3_700));
    let scrape = rig.scrape();
    assert!(scrape.contains("inference_build_info"), "{scrape}");
    assert!(!scrape.contains("inference_model_loads_total"), "{scrape}");
}
