//! Who this process is: what the service says, over what can be seen. In the scrape that is `target_info` and no label.

use crate::config::Config;
use opentelemetry::{KeyValue, Value};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::TelemetryResourceDetector;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::OnceLock;
use std::time::SystemTime;

/// What the kubelet tells each container of a pod, whatever its manifest says. Without it, `NODE_NAME` and the like are
/// about something else.
const IN_KUBERNETES: &str = "KUBERNETES_SERVICE_HOST";

/// Where the kubelet says in which namespace a pod is.
const NAMESPACE: &str = "var/run/secrets/kubernetes.io/serviceaccount/namespace";

/// Attributes and the variables by which manifests usually pass them on from the downward API: those that charts and guides
/// use, and those that OpenTelemetry's operator injects. The first that is set counts.
const KUBERNETES: [(&str, &[&str]); 6] = [
    (
        "k8s.pod.name",
        &[
            "K8S_POD_NAME",
            "POD_NAME",
            "OTEL_RESOURCE_ATTRIBUTES_POD_NAME",
        ],
    ),
    (
        POD_UID,
        &["K8S_POD_UID", "POD_UID", "OTEL_RESOURCE_ATTRIBUTES_POD_UID"],
    ),
    ("k8s.pod.ip", &["K8S_POD_IP", "POD_IP", "OTEL_POD_IP"]),
    (
        "k8s.namespace.name",
        &[
            "K8S_NAMESPACE_NAME",
            "K8S_NAMESPACE",
            "K8S_POD_NAMESPACE",
            "POD_NAMESPACE",
        ],
    ),
    (
        "k8s.node.name",
        &[
            "K8S_NODE_NAME",
            "NODE_NAME",
            "KUBE_NODE_NAME",
            "OTEL_RESOURCE_ATTRIBUTES_NODE_NAME",
        ],
    ),
    (
        "k8s.container.name",
        &["K8S_CONTAINER_NAME", "CONTAINER_NAME"],
    ),
];

const POD_UID: &str = "k8s.pod.uid";

/// What is found: an attribute and its value.
type Found = Vec<(&'static str, Value)>;

/// What goes with everything that is recorded.
pub(crate) fn resource(config: &Config) -> Resource {
    let detected = detected(|name| std::env::var(name).ok(), Path::new("/"));
    merged(config, detected)
}

fn merged(config: &Config, detected: Found) -> Resource {
    let said = |key: &str| config.attributes.iter().any(|(known, _)| known == key);
    let detected = detected.into_iter().filter(|(key, _)| !said(key));
    // what is said to be empty is taken away
    let given = config
        .attributes
        .iter()
        .filter(|(_, value)| !value.is_empty());
    let version = config.service_version.clone();
    Resource::builder_empty()
        .with_detector(Box::new(TelemetryResourceDetector))
        .with_attributes(detected.map(|(key, value)| KeyValue::new(key, value)))
        .with_attributes(given.map(|(key, value)| KeyValue::new(key.clone(), value.clone())))
        .with_service_name(config.service.clone())
        .with_attributes(version.map(|version| KeyValue::new("service.version", version)))
        .build()
}

/// What can be seen, through `get` in the environment and in files below `root`. Nothing that is secret or without bound:
/// no command line, no user.
fn detected(get: impl Fn(&str) -> Option<String>, root: &Path) -> Found {
    let get = |name: &str| {
        let value = get(name)?.trim().to_owned();
        (!value.is_empty()).then_some(value)
    };
    let mut found = kubernetes(&get, root);
    let pod = found.iter().find(|(key, _)| *key == POD_UID);
    let instance = pod.map_or_else(|| Value::from(made_once(root)), |(_, uid)| uid.clone());
    found.push(("service.instance.id", instance));
    let host = text(&root.join("proc/sys/kernel/hostname"));
    found.extend(host.map(|host| ("host.name", host.into())));
    found.extend(arch().map(|arch| ("host.arch", arch.into())));
    found.extend([
        ("os.type", os().into()),
        ("process.pid", i64::from(std::process::id()).into()),
        ("process.runtime.name", "rustc".into()),
    ]);
    found
}

fn kubernetes(get: &impl Fn(&str) -> Option<String>, root: &Path) -> Found {
    if get(IN_KUBERNETES).is_none() {
        return Found::new();
    }
    let told = |(key, names): (&'static str, &[&str])| {
        let told = names.iter().find_map(|name| get(name));
        let value = told.or_else(|| match key {
            "k8s.namespace.name" => text(&root.join(NAMESPACE)),
            _ => None,
        })?;
        Some((key, value.into()))
    };
    KUBERNETES.into_iter().filter_map(told).collect()
}

fn text(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// A random UUID, the same one for as long as the process lives.
fn made_once(root: &Path) -> String {
    static MADE: OnceLock<String> = OnceLock::new();
    MADE.get_or_init(|| {
        let kernel = text(&root.join("proc/sys/kernel/random/uuid"));
        kernel.unwrap_or_else(random_uuid)
    })
    .clone()
}

/// Version 4, from the keys that the system gives to hash maps; a process that was forked has the same ones, but another
/// number.
fn random_uuid() -> String {
    let half = || RandomState::new().hash_one((std::process::id(), SystemTime::now()));
    let bits = (u128::from(half()) << 64) | u128::from(half());
    let version = bits & !(0xF000 << 64) | (0x4000 << 64);
    let hex = format!("{:032x}", version & !(0xC << 60) | (0x8 << 60));
    let part = |range: std::ops::Range<usize>| &hex[range];
    format!(
        "{}-{}-{}-{}-{}",
        part(0..8),
        part(8..12),
        part(12..16),
        part(16..20),
        part(20..32)
    )
}

/// In the words of the conventions; `None` where they have none.
fn arch() -> Option<&'static str> {
    Some(match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "arm" => "arm32",
        "powerpc64" => "ppc64",
        "powerpc" => "ppc32",
        "s390x" => "s390x",
        "x86" => "x86",
        _ => return None,
    })
}

fn os() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        "dragonfly" => "dragonflybsd",
        known => known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::fake_root::FakeRoot;
    use opentelemetry::Key;
    use std::collections::BTreeMap;

    fn seen(variables: &[(&str, &str)], root: &FakeRoot) -> BTreeMap<&'static str, String> {
        let get = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let found = detected(get, root.path()).into_iter();
        found.map(|(key, value)| (key, value.to_string())).collect()
    }

    #[test]
    fn each_source_is_looked_at() {
        let root = FakeRoot::new("resource_sources");
        root.write("proc/sys/kernel/hostname", "node-7\n");
        let seen = seen(&[], &root);
        assert_eq!(seen["host.name"], "node-7");
        assert_eq!(seen["process.pid"], std::process::id().to_string());
        assert_eq!(seen["process.runtime.name"], "rustc");
        assert!(
            ["linux", "darwin", "windows"].contains(&&*seen["os.type"]),
            "{seen:?}"
        );
        assert_eq!(seen["service.instance.id"].len(), 36);
        for key in [
            "process.command",
            "process.command_line",
            "process.command_args",
            "process.owner",
        ] {
            assert!(!seen.contains_key(key), "{key}");
        }
    }

    #[test]
    fn a_pod_knows_itself_by_the_usual_variables() {
        let root = FakeRoot::new("resource_pod");
        root.write(NAMESPACE, "from-file");
        let inside = (IN_KUBERNETES, "10.0.0.1");
        for (key, names) in KUBERNETES {
            for name in names {
                let found = seen(&[inside, (name, " it ")], &root);
                assert_eq!(found[key], "it", "{name}");
                let outside = seen(&[(name, "it")], &root);
                assert!(!outside.contains_key(key), "{name} without Kubernetes");
            }
        }
        let found = seen(&[inside, ("POD_UID", "uid-1"), ("POD_NAME", "")], &root);
        assert_eq!(found["service.instance.id"], "uid-1");
        assert_eq!(found["k8s.namespace.name"], "from-file");
        assert!(!found.contains_key("k8s.pod.name"), "it is empty");
    }

    #[test]
    fn what_is_said_wins_over_what_is_seen() {
        let root = FakeRoot::new("resource_precedence");
        root.write("proc/sys/kernel/hostname", "node-7\n");
        let mut config = Config::new("service");
        config.describe([
            ("host.name".to_owned(), "code".to_owned()),
            ("team".to_owned(), "code".to_owned()),
            ("service.instance.id".to_owned(), "code-1".to_owned()),
            ("service.version".to_owned(), "1".to_owned()),
            ("process.pid".to_owned(), String::new()),
        ]);
        config.read(|name| {
            (name == "OTEL_RESOURCE_ATTRIBUTES").then(|| "host.name=env,service.version=2".into())
        });
        let resource = merged(&config, detected(|_| None, root.path()));
        let value = |key: &'static str| {
            resource
                .get(&Key::from_static_str(key))
                .map(|v| v.to_string())
        };
        for (key, expected) in [
            ("host.name", Some("env")),
            ("team", Some("code")),
            ("service.instance.id", Some("code-1")),
            ("service.version", Some("2")),
            ("service.name", Some("service")),
            ("telemetry.sdk.language", Some("rust")),
            ("process.pid", None),
        ] {
            assert_eq!(value(key).as_deref(), expected, "{key}");
        }
    }

    #[test]
    fn an_instance_is_random_and_stays() {
        let root = FakeRoot::new("resource_instance");
        assert_eq!(made_once(root.path()), made_once(root.path()));
        let (one, other) = (random_uuid(), random_uuid());
        assert_ne!(one, other);
        for uuid in [one, other] {
            let parts: Vec<_> = uuid.split('-').map(str::len).collect();
            assert_eq!(parts, [8, 4, 4, 4, 12], "{uuid}");
            assert!(uuid.as_bytes()[14] == b'4', "{uuid}");
            assert!(b"89ab".contains(&uuid.as_bytes()[19]), "{uuid}");
        }
    }
}
