//! Labels: bounded, left out where there is no value, and only where they belong.

use crate::support::{counts, shown};
use instrument_inference::testing::Rig;
use instrument_inference::{LabelValue, ModelSlot, inference_request, inference_stage};

#[derive(Clone, Copy)]
enum Tier {
    Free,
    Paid,
}

impl LabelValue for Tier {
    const CARDINALITY: u32 = 2;
    fn index(&self) -> u32 {
        match self {
            Tier::Free => 0,
            Tier::Paid => 1,
        }
    }
    fn value(&self) -> Option<&str> {
        Some(match self {
            Tier::Free => "free",
            Tier::Paid => "paid \"gold\"\\\n",
        })
    }
}

#[inference_stage("preprocess", labels(cached = cached, source = "upload"))]
fn preprocess(cached: Option<bool>) {}

#[inference_request(ingress = "http", tier = &tier, labels(traced = traced))]
fn predict(tier: Tier, traced: bool) {
    preprocess(Some(traced));
}

#[test]
fn a_stage_has_its_labels_and_none_where_there_is_no_value() {
    let rig = Rig::new();
    let _inside = rig.enter();
    for cached in [Some(true), Some(false), None, None] {
        preprocess(cached);
    }
    let family = "inference_stage_duration_seconds_count";
    assert_eq!(
        shown(&counts(&rig, family, &["cached", "source"])),
        " upload 2, false upload 1, true upload 1"
    );
    let scrape = rig.scrape();
    assert!(
        !scrape.contains("cached=\"\""),
        "a label without a value is left out:\n{scrape}"
    );
    assert!(
        !scrape.contains("inference_stage_in_flight{cached"),
        "own labels go to the duration only:\n{scrape}"
    );
}

#[test]
fn a_requests_labels_go_to_its_counter_and_duration() {
    let rig = Rig::new();
    let _inside = rig.enter();
    predict(Tier::Free, true);
    predict(Tier::Paid, false);
    let by = ["ingress", "traced"];
    assert_eq!(
        shown(&counts(&rig, "inference_requests_total", &by)),
        "http false 1, http true 1"
    );
    let family = "inference_request_duration_seconds_count";
    assert_eq!(shown(&counts(&rig, family, &by)), " false 1,  true 1");
    let scrape = rig.scrape();
    assert!(
        scrape.contains(r#"tier="paid \"gold\"\\\n""#),
        "values are escaped:\n{scrape}"
    );
}

#[test]
fn too_many_versions_of_a_model_fold() {
    #[inference_request(model = slot)]
    fn served(slot: &ModelSlot) {}
    let rig = Rig::new();
    let _inside = rig.enter();
    for version in 0..100 {
        let slot = rig.model("m", &version.to_string());
        served(&slot);
    }
    let versions = counts(&rig, "inference_requests_total", &["version"]);
    assert_eq!(versions.len(), 65);
    assert_eq!(versions["other"], 36);
    let overflow = rig.value("inference_label_overflow_total{label=\"version\"}");
    assert_eq!(overflow, Some(36.0));
}

#[test]
fn made_up_names_of_models_fold_before_they_are_too_many() {
    #[inference_request(model = slot)]
    fn served(slot: &ModelSlot) {}
    let rig = Rig::new();
    let _inside = rig.enter();
    let first = rig.model("known", "1");
    for number in 0..3_000 {
        served(&rig.model(&format!("made-up-{number}"), "1"));
    }
    served(&first);
    let models = counts(&rig, "inference_requests_total", &["model"]);
    assert_eq!(models.values().sum::<u64>(), 3_001, "nobody is lost");
    assert!(models.len() <= 512, "{}", models.len());
    assert_eq!(models["known"], 1);
    assert!(models["other"] > 2_400);
    let overflow = rig.value("inference_label_overflow_total{label=\"model\"}");
    assert!(overflow.is_some_and(|count| count > 0.0), "{overflow:?}");
}

#[test]
fn long_names_are_cut() {
    let rig = Rig::new();
    let _inside = rig.enter();
    rig.model(&"é".repeat(200), "");
    preprocess(None);
    let models = counts(
        &rig,
        "inference_stage_duration_seconds_count",
        &["model", "version"],
    );
    assert_eq!(
        models.into_keys().collect::<Vec<_>>(),
        [format!("{} none", "é".repeat(64))]
    );
}

#[test]
fn an_execution_says_on_which_device() {
    struct Engine {
        gpu: usize,
        uuid: Option<String>,
    }
    impl Engine {
        #[inference_stage("execute", device = self.gpu, labels(warm = true))]
        fn alone(&self) {}
        #[inference_stage("execute", batch = 4, device = self.uuid)]
        fn batch(&self) {}
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let engines = [
        (0, Some("GPU-1")),
        (1, Some(" GPU-1")),
        (0, None),
        (0, Some("")),
    ];
    for (gpu, uuid) in engines {
        let uuid = uuid.map(str::to_owned);
        let engine = Engine { gpu, uuid };
        engine.alone();
        engine.batch();
    }
    let batches = counts(&rig, "inference_batch_duration_seconds_count", &["device"]);
    assert_eq!(shown(&batches), " 2, 0 3, 1 1, GPU-1 2");
    // what is counted of the model is counted once, whatever the device
    let labels = "model=\"none\",version=\"none\"";
    let sizes = rig.value(&format!("inference_batch_size_sum{{{labels}}}"));
    assert_eq!(sizes, Some(4.0 + 4.0 * 4.0));
    let stages = counts(
        &rig,
        "inference_stage_duration_seconds_count",
        &["stage", "device", "warm"],
    );
    assert_eq!(shown(&stages), "execute   16, execute  true 4");
}

#[test]
fn beyond_the_budget_new_devices_fold() {
    #[inference_stage("execute", device = gpu)]
    fn execute(gpu: u32) {}
    let rig = Rig::builder().line_budget(200).start();
    let _inside = rig.enter();
    for _ in 0..2 {
        for gpu in 0..8 {
            execute(gpu);
            // what is not drained has not cost anything yet
            rig.drain();
        }
    }
    let batches = counts(&rig, "inference_batch_duration_seconds_count", &["device"]);
    assert_eq!(batches["0"], 2, "what is known goes on");
    assert!(batches["other"] > 8 && batches.len() < 8, "{batches:?}");
    let scrape = rig.scrape();
    assert!(
        scrape.contains("inference_label_overflow_total{label=\"device\"}"),
        "{scrape}"
    );
}
