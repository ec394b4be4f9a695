//! What an engine says of its caches: how full, how large, and what was found there.

use crate::support::{counts, shown};
use instrument_inference::ModelSlot;
use instrument_inference::testing::Rig;
use std::time::Duration;

const L: &str = "model=\"llama\",version=\"1\"";

fn usage(rig: &Rig) -> Option<f64> {
    rig.value(&format!("inference_kv_cache_usage_ratio{{{L}}}"))
}

/// The lines of the information, without its name.
fn info(rig: &Rig) -> Vec<String> {
    let scrape = rig.scrape();
    let lines = scrape.lines();
    let found = lines.filter_map(|line| line.strip_prefix("inference_kv_cache_info"));
    found.map(str::to_owned).collect()
}

fn described(blocks: u64) -> Vec<String> {
    let labels =
        format!("block_size=\"16\",model=\"llama\",num_gpu_blocks=\"{blocks}\",version=\"1\"");
    vec![format!("{{{labels}}} 1")]
}

fn lookups(rig: &Rig) -> String {
    let by = ["version", "cache", "result"];
    shown(&counts(rig, "inference_cache_lookups_total", &by))
}

#[test]
fn what_an_engine_has_not_said_is_absent() {
    let rig = Rig::new();
    rig.model("llama", "1").ready();
    let scrape = rig.scrape();
    for family in ["kv_cache", "cache_lookups", "preemptions"] {
        assert!(!scrape.contains(family), "{family} in\n{scrape}");
    }
}

#[test]
fn the_usage_is_what_was_said_last() {
    let rig = Rig::new();
    let slot = rig.model("llama", "1");
    for ratio in [0.25, 1.0, 0.0, f64::MIN_POSITIVE] {
        slot.kv_usage(ratio);
        assert_eq!(usage(&rig), Some(ratio));
    }
    slot.kv_usage(-0.0);
    let line = format!("inference_kv_cache_usage_ratio{{{L}}} 0\n");
    assert!(rig.scrape().contains(&line), "a zero has no sign");
}

#[test]
fn what_is_no_share_is_no_reading_and_hides_the_last_one() {
    let rig = Rig::new();
    let slot = rig.model("llama", "1");
    for wrong in [
        f64::NAN,
        -f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.01,
        1.000_001,
        87.0,
    ] {
        slot.kv_usage(0.5);
        assert_eq!(usage(&rig), Some(0.5));
        slot.kv_usage(wrong);
        assert_eq!(usage(&rig), None, "{wrong}");
    }
}

#[test]
fn how_the_cache_is_divided_is_labels() {
    let rig = Rig::new();
    let slot = rig.model("llama", "1");
    slot.kv_cache(16, 27_648);
    assert_eq!(info(&rig), described(27_648));
    // loaded again, with less memory: one line, not two
    slot.kv_cache(16, 20_000);
    assert_eq!(info(&rig), described(20_000));
    for (block_size, blocks) in [(0, 20_000), (16, 0)] {
        slot.kv_cache(block_size, blocks);
        assert_eq!(info(&rig), [""; 0]);
        slot.kv_cache(16, 20_000);
    }
    assert_eq!(info(&rig), described(20_000));
}

#[test]
fn lookups_are_counted_by_cache_and_result() {
    let rig = Rig::new();
    let slot = rig.model("llama", "1");
    slot.cache("prefix", true);
    let misses = format!("inference_cache_lookups_total{{cache=\"prefix\",{L}}}")
        .replace(",version", ",result=\"miss\",version");
    assert_eq!(rig.value(&misses), Some(0.0), "a share needs both");
    for hit in [true, false, true] {
        slot.cache("prefix", hit);
    }
    slot.cache("images", false);
    rig.model("llama", "2").cache("prefix", false);
    assert_eq!(
        lookups(&rig),
        "1 images miss 1, 1 prefix hit 3, 1 prefix miss 1, 2 prefix miss 1"
    );
}

#[test]
fn names_of_caches_are_bounded() {
    let rig = Rig::new();
    let slot = rig.model("llama", "1");
    let name = |number: usize| -> &'static str { format!("cache-{number}").leak() };
    let names: Vec<_> = (0..100).map(name).collect();
    for name in names.iter().chain(&names) {
        slot.cache(name, true);
    }
    let found = counts(&rig, "inference_cache_lookups_total", &["cache"]);
    assert_eq!((found.len(), found["other"]), (65, 2 * 36));
    // of another model they are its own
    let other = rig.model("qwen", "1");
    other.cache("", true);
    other.cache("x".repeat(300).leak(), true);
    let found = counts(&rig, "inference_cache_lookups_total", &["model", "cache"]);
    let long = format!("qwen {}", "x".repeat(128));
    assert_eq!((found["qwen other"], found[&long]), (1, 1));
}

fn says_everything(slot: &ModelSlot) {
    slot.kv_usage(0.5);
    slot.kv_cache(16, 100);
    slot.cache("prefix", true);
}

#[test]
fn the_usage_goes_with_the_model_and_the_rest_as_all_else_of_it() {
    let rig = Rig::new();
    let slot = rig.model("llama", "1");
    slot.ready();
    says_everything(&slot);
    slot.unload();
    assert_eq!(usage(&rig), None, "its cache is gone");
    // its engine takes a last step
    slot.kv_usage(0.25);
    assert_eq!(usage(&rig), None, "there is none any more");
    assert_eq!(
        (info(&rig), lookups(&rig).as_str()),
        (described(100), "1 prefix hit 1")
    );
    rig.advance(Duration::from_secs(3_700));
    assert!(!rig.scrape().contains("cache"), "{}", rig.scrape());
    // loaded again it goes on counting
    slot.ready();
    assert_eq!(usage(&rig), None, "nobody has said how full the new one is");
    says_everything(&slot);
    assert_eq!(
        (usage(&rig), lookups(&rig).as_str()),
        (Some(0.5), "1 prefix hit 2")
    );
}

#[test]
fn a_slot_of_a_runtime_that_is_gone_says_nothing() {
    let rig = Rig::new();
    let slot = rig.model("llama", "1");
    drop(rig);
    says_everything(&slot);
}
