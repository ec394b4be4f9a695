//! Collectors of others: what arrives there is what a scrape shows.

use crate::collector::PROTOCOLS;
use crate::peer::{Process, Scratch, free_addr, get, require};
use crate::points::{lines, moves};
use crate::story::{self, PATIENCE, until};
use crate::{block_on, builder, predict};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::{SocketAddr, TcpStream};

/// What goes through: enough that it is not there by chance.
const REQUESTS: usize = 17;

#[test]
fn rotel_gets_what_a_scrape_shows() {
    let Some(rotel) = require("rotel-agent") else {
        return;
    };
    for (_, protocol) in PROTOCOLS {
        let scratch = Scratch::new("rotel");
        let (grpc, http) = (free_addr().to_string(), free_addr().to_string());
        let (pid, log) = (scratch.path().join("pid"), scratch.path().join("log"));
        let arguments = [
            ("--otlp-grpc-endpoint", &*grpc),
            ("--otlp-http-endpoint", &*http),
            ("--exporter", "blackhole"),
            ("--debug-log", "metrics"),
            ("--debug-log-verbosity", "detailed"),
            ("--pid-file", &*pid.to_string_lossy()),
            ("--log-file", &*log.to_string_lossy()),
        ]
        .map(|(name, value)| [name.to_owned(), value.to_owned()]);
        let all = ["start".to_owned()].into_iter();
        let agent = Process::start(&rotel, all.chain(arguments.into_iter().flatten()), scratch);
        let address = if protocol == "grpc" { grpc } else { http };
        until("it listens", || TcpStream::connect(&address).is_ok());
        let scraped = push(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("http://{address}")),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
        ]);
        let still = |points: BTreeMap<String, f64>| {
            let still = points.into_iter().filter(|(name, _)| !moves(name));
            still.collect::<BTreeMap<_, _>>()
        };
        let scraped = still(lines(&scraped));
        let arrived = || still(printed(&agent.output()));
        until("the agent has printed it all", || {
            arrived().len() >= scraped.len()
        });
        assert_eq!(arrived(), scraped);
        // what moves is not compared, but it is there
        for name in [
            "process.cpu.time{cpu.mode=\"user\"}",
            "process.memory.usage{}",
            "process.network.io{network.io.direction=\"receive\"}",
            "process.uptime{}",
        ] {
            until(name, || printed(&agent.output()).contains_key(name));
        }
    }
}

/// The points that rotel has printed: `otel.name{a="1"}` and the value, or the count of a histogram; the last ones win.
fn printed(output: &str) -> BTreeMap<String, f64> {
    let mut all = BTreeMap::new();
    let (mut name, mut labels) = (String::new(), None::<Vec<String>>);
    for line in output.lines().map(str::trim) {
        if let Some(named) = line.strip_prefix("-> Name: ") {
            named.clone_into(&mut name);
        } else if line == "Data point attributes:" || line.contains("DataPoints #") {
            labels = Some(Vec::new());
        } else if let Some(value) = line
            .strip_prefix("Value: ")
            .or(line.strip_prefix("Count: "))
        {
            if let Some(mut labels) = labels.take() {
                labels.sort();
                all.insert(
                    format!("{name}{{{}}}", labels.join(",")),
                    value.parse().unwrap(),
                );
            }
        } else if let (Some(labels), Some((key, value))) = (
            labels.as_mut(),
            line.strip_prefix("-> ")
                .and_then(|pair| pair.split_once(": Str(")),
        ) {
            labels.push(format!("{key}=\"{}\"", value.trim_end_matches(')')));
        }
    }
    all
}

#[test]
fn victoria_metrics_answers_promql_with_what_a_scrape_shows() {
    let Some(victoria) = require("victoria-metrics") else {
        return;
    };
    let scratch = Scratch::new("victoria");
    let address = free_addr();
    let arguments = [
        format!("-httpListenAddr={address}"),
        format!("-storageDataPath={}", scratch.path().join("data").display()),
        "-opentelemetry.usePrometheusNaming".to_owned(),
        "-search.latencyOffset=0s".to_owned(),
    ];
    let mut server = Process::start(&victoria, arguments, scratch);
    server.wait_for_http(address, "/health", PATIENCE);
    let endpoint = format!("http://{address}/opentelemetry/v1/metrics");
    let scraped = push(&[("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", &endpoint)]);

    let ok = "inference_requests_total{outcome=\"ok\"}";
    let wanted = [("outcome", "ok")];
    until("it can be asked", || {
        ask(address, ok)
            .iter()
            .any(|(labels, _)| has(labels, &wanted))
    });
    assert_eq!(ask(address, &format!("sum({ok})"))[0].1, "17");
    let quantile = "histogram_quantile(0.99, sum by (le) (inference_stage_duration_seconds_bucket{stage=\"execute\"}))";
    let quantile: f64 = ask(address, quantile)[0].1.parse().unwrap();
    assert!(quantile > 0.0 && quantile <= 81.92, "{quantile}");

    let stored = ask(address, "{__name__=~\"inference_.*\"}");
    let mut compared = 0;
    for line in scraped
        .lines()
        .filter(|line| line.starts_with("inference_"))
    {
        let (series, value) = line.rsplit_once(' ').unwrap();
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        if moves(
            &name
                .replace('_', ".")
                .replace("last.progress", "last_progress"),
        ) {
            continue;
        }
        let labels = labels
            .trim_end_matches('}')
            .split(',')
            .filter_map(|pair| pair.split_once('='));
        let labels = labels.map(|(key, value)| (key, value.trim_matches('"')));
        let wanted: Vec<_> = labels.chain([("__name__", name)]).collect();
        let found = stored.iter().find(|(labels, _)| has(labels, &wanted));
        // an empty bucket is left out there
        let Some((_, found)) = found else {
            assert!(name.ends_with("_bucket"), "{line} has not arrived");
            continue;
        };
        let (found, value): (f64, f64) = (found.parse().unwrap(), value.parse().unwrap());
        assert!(
            (found - value).abs() <= value.abs() * 1e-9,
            "{line}: {found}"
        );
        compared += 1;
    }
    assert!(compared > 20, "{compared} of\n{scraped}");
}

type Labels = BTreeMap<String, String>;

fn has(labels: &Labels, wanted: &[(&str, &str)]) -> bool {
    let is = |(key, value): &(&str, &str)| labels.get(*key).is_some_and(|found| found == value);
    wanted.iter().all(is)
}

/// What is answered: labels and value of each series.
fn ask(address: SocketAddr, query: &str) -> Vec<(Labels, String)> {
    let encoded = query.bytes().fold(String::new(), |mut all, byte| {
        let _ = write!(all, "%{byte:02X}");
        all
    });
    let answer = get(address, &format!("/api/v1/query?query={encoded}")).expect("it answers");
    let answer: serde_json::Value = serde_json::from_str(&answer.body).expect("JSON");
    let series = answer["data"]["result"].as_array().expect("series");
    let one = |one: &serde_json::Value| {
        let labels = one["metric"].as_object().expect("labels").iter();
        let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
        (
            labels
                .map(|(key, value)| (key.clone(), text(value)))
                .collect(),
            text(&one["value"][1]),
        )
    };
    series.iter().map(one).collect()
}

/// Some requests, pushed as these variables say. What a scrape of the same moment showed.
fn push(variables: &[(&str, &str)]) -> String {
    let scratch = Scratch::new("scraped");
    let file = scratch.path().join("scrape.prom");
    let file = file.to_string_lossy();
    let all: Vec<_> = variables
        .iter()
        .copied()
        .chain([("SCRAPE", &*file)])
        .collect();
    let said = story::tell("pushed_to_a_peer", &all);
    assert!(story::said(&said).is_empty(), "{said}");
    std::fs::read_to_string(&*file).expect("the story has written it")
}

pub fn tell(story: &str) -> bool {
    if story == "pushed_to_a_peer" {
        told::pushed_to_a_peer();
    }
    story == "pushed_to_a_peer"
}

pub mod told {
    use super::*;

    pub fn pushed_to_a_peer() {
        let telemetry = builder().from_env().install().unwrap();
        let _slot = telemetry.model("m", "1");
        for _ in 0..REQUESTS {
            block_on(predict());
        }
        telemetry
            .write_textfile(std::env::var("SCRAPE").unwrap())
            .unwrap();
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }
}
