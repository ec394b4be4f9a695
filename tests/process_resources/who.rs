//! Who the process says that it is.

use crate::story::{self, tell as told};
use crate::{builder, stop};
use std::collections::BTreeMap;

const POD: [(&str, &str); 5] = [
    ("KUBERNETES_SERVICE_HOST", "10.0.0.1"),
    ("POD_NAME", "sentiment-7d9f"),
    ("POD_NAMESPACE", "models"),
    ("POD_UID", "275ecb36-5aa8-4c2a-9c47-d8bb681b9aff"),
    ("NODE_NAME", "node-3"),
];

#[test]
fn a_pod_says_which_one_it_is() {
    told("in_a_pod", &POD);
}

#[test]
fn what_is_said_wins_over_what_is_seen() {
    let said = "service.instance.id=mine,k8s.node.name=,host.name=env";
    let said = [("OTEL_RESOURCE_ATTRIBUTES", said)];
    told("said", &[&POD[..], &said].concat());
}

#[test]
fn each_process_is_another_instance() {
    let ids: Vec<_> = (0..2)
        .map(|_| story::tell("alone", &[("POD_UID", "not in Kubernetes")]))
        .collect();
    let of = |text: &String| {
        let line = text.lines().find_map(|line| line.strip_prefix("instance "));
        line.expect("it says so").to_owned()
    };
    assert_ne!(of(&ids[0]), of(&ids[1]));
}

pub fn tell(story: &str) -> bool {
    match story {
        "in_a_pod" => in_a_pod(),
        "said" => said(),
        "alone" => alone(),
        _ => return false,
    }
    true
}

/// The labels of `target_info`. Nothing of them is anywhere else.
fn target_info(scrape: &str) -> BTreeMap<String, String> {
    let (info, others): (Vec<_>, Vec<_>) = scrape
        .lines()
        .filter(|line| !line.starts_with('#'))
        .partition(|line| line.starts_with("target_info{"));
    for line in others {
        for start in ["k8s_", "host_", "os_", "process_pid", "service_instance"] {
            let label = [format!("{{{start}"), format!(",{start}")];
            assert!(!label.iter().any(|label| line.contains(label)), "{line}");
        }
    }
    let [info] = info[..] else {
        panic!("one line: {info:?}")
    };
    let labels = info
        .trim_start_matches("target_info{")
        .rsplit_once("\"}")
        .expect("labels")
        .0;
    let pairs = labels
        .split("\",")
        .filter_map(|pair| pair.split_once("=\""));
    pairs
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

fn in_a_pod() {
    let telemetry = builder().install().unwrap();
    let info = target_info(&telemetry.scrape());
    for (key, expected) in [
        ("k8s_pod_name", POD[1].1),
        ("k8s_namespace_name", POD[2].1),
        ("k8s_pod_uid", POD[3].1),
        ("service_instance_id", POD[3].1),
        ("k8s_node_name", POD[4].1),
        ("process_pid", &*std::process::id().to_string()),
        ("os_type", "linux"),
        ("process_runtime_name", "rustc"),
    ] {
        assert_eq!(info[key], expected, "{key}");
    }
    assert!(!info["host_name"].is_empty());
    assert!(
        !info
            .keys()
            .any(|key| key.starts_with("process_command") || key.starts_with("process_owner"))
    );
    stop(&telemetry);
}

fn said() {
    let telemetry = builder()
        .resource_attribute("host.name", "code")
        .resource_attribute("team", "search")
        .resource_attribute("process.pid", "")
        .from_env()
        .install()
        .unwrap();
    let info = target_info(&telemetry.scrape());
    for (key, expected) in [
        ("service_instance_id", Some("mine")),
        ("host_name", Some("env")),
        ("team", Some("search")),
        ("k8s_pod_name", Some(POD[1].1)),
        ("k8s_node_name", None),
        ("process_pid", None),
    ] {
        assert_eq!(info.get(key).map(String::as_str), expected, "{key}");
    }
    stop(&telemetry);
}

fn alone() {
    let telemetry = builder().install().unwrap();
    let info = target_info(&telemetry.scrape());
    assert!(!info.keys().any(|key| key.starts_with("k8s_")), "{info:?}");
    assert_eq!(info["service_instance_id"].len(), 36);
    eprintln!("instance {}", info["service_instance_id"]);
    stop(&telemetry);
}
