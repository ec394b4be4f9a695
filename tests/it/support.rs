//! Short ways to ask a scrape.

use instrument_inference::testing::Rig;
use std::collections::BTreeMap;

/// How many ended, by name of the stage and outcome, such as `execute ok`.
pub fn stages(rig: &Rig) -> BTreeMap<String, u64> {
    counts(
        rig,
        "inference_stage_duration_seconds_count",
        &["stage", "outcome"],
    )
}

/// How many ended, by outcome.
pub fn requests(rig: &Rig) -> BTreeMap<String, u64> {
    counts(rig, "inference_requests_total", &["outcome"])
}

/// The sums of a family's lines by some of its labels; what is 0 is left out.
pub fn counts(rig: &Rig, family: &str, by: &[&str]) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for line in rig.scrape().lines() {
        let Some(rest) = line
            .strip_prefix(family)
            .filter(|rest| rest.starts_with('{'))
        else {
            continue;
        };
        let (labels, value) = rest.rsplit_once(' ').expect("a line has a value");
        let count: u64 = value.parse().expect("a count is a whole number");
        if count > 0 {
            let found: Vec<_> = by.iter().map(|key| label(labels, key)).collect();
            *sums.entry(found.join(" ")).or_insert(0) += count;
        }
    }
    sums
}

fn label(labels: &str, key: &str) -> String {
    let start = labels
        .find(&format!("{key}=\""))
        .map(|at| at + key.len() + 2);
    start.map_or(String::new(), |at| {
        labels[at..]
            .split('"')
            .next()
            .unwrap_or_default()
            .to_owned()
    })
}

/// What a map holds, in one line: `execute ok 2, preprocess ok 1`.
pub fn shown(counts: &BTreeMap<String, u64>) -> String {
    counts
        .iter()
        .map(|(what, count)| format!("{what} {count}"))
        .collect::<Vec<_>>()
        .join(", ")
}
