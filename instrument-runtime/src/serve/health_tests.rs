//! What health answers over HTTP: forms, options, and the limits of both.

use crate::health::machine::RunResult;
use crate::health::options::HealthOptions;
use crate::serve::health_http::router;
use crate::serve::health_rig::{Rig, ask, ask_with, check};
use crate::slot::state::Phase;
use crate::vocab::group::Group;
use crate::vocab::reason::Reason;
use axum::Router;
use serde_json::{Value, json};
use std::time::Duration;

const LONGEST: usize = 10 * 1024;

const DRAFT: (&str, &str) = ("accept", "application/health+json");

fn named<'a>(body: &'a Value, list: &str) -> Vec<&'a str> {
    let list = body[list].as_array().expect("a list");
    list.iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect()
}

#[test]
fn a_healthy_service_says_what_the_first_look_needs() {
    let rig = Rig::new(&[]);
    rig.model("text-embedding-v3", "2024.06.15", Phase::Ready);
    rig.passes(Duration::from_secs(86_400));
    let body = ask(&rig.router(), "/health").text;
    let version = rig.board.report().version();
    assert_eq!(
        body,
        format!(
            "{{\"status\":\"healthy\",\"model\":\"text-embedding-v3\",\"model_version\":\"2024.06.15\",\
             \"queue_depth\":2,\"uptime\":86400,\"version\":{version}}}"
        )
    );
    assert_eq!(rig.board.report().json(), body);
}

#[test]
fn several_models_are_listed_and_the_first_that_can_be_asked_is_the_model() {
    let rig = Rig::new(&[]);
    rig.model("embed", "1", Phase::Unloaded);
    rig.model("embed", "2", Phase::Ready);
    rig.model("rank \"quoted\"", "1", Phase::Loading);
    let body = ask(&rig.router(), "/health").json();
    assert_eq!(
        (&body["model"], &body["model_version"]),
        (&json!("embed"), &json!("2"))
    );
    assert_eq!(
        body["models"],
        json!([
            {"name": "embed", "version": "1", "ready": false, "reason": "model_not_loaded"},
            {"name": "embed", "version": "2", "ready": true},
            {"name": "rank \"quoted\"", "version": "1", "ready": false, "reason": "model_loading"},
        ])
    );
    let routes = rig.router();
    assert_eq!(ask(&routes, "/v2/models/embed/ready").code, 200);
    assert_eq!(ask(&routes, "/v2/models/embed/versions/1/ready").code, 503);
    assert_eq!(
        ask(&routes, "/v2/models/rank%20%22quoted%22/ready").code,
        503
    );
    assert_eq!(ask(&routes, "/v2/models/embed/versions/3/ready").code, 404);
}

#[test]
fn checks_are_listed_to_who_asks_and_what_is_not_well_comes_first() {
    let rig = Rig::well(&[
        check("disk"),
        check("redis").soft(),
        check("loop").groups(&[Group::Liveness]),
    ]);
    rig.says("redis", RunResult::Fatal(Reason::TIMEOUT));
    rig.passes(Duration::from_secs(6));
    let routes = rig.router();
    let body = ask(&routes, "/health?verbose").json();
    assert_eq!(
        body["checks"][0],
        json!({"name": "redis", "state": "down", "hard": false, "age_ms": 6000, "stale": true, "reason": "timeout"})
    );
    assert_eq!(named(&body, "checks"), ["redis", "disk", "loop", "models"]);
    let always = rig.with(HealthOptions {
        verbose: true,
        ..HealthOptions::default()
    });
    assert_eq!(ask(&always, "/health").json(), body);
    assert_eq!(
        named(&ask(&routes, "/livez?verbose").json(), "checks"),
        ["loop"]
    );
    for path in ["/livez", "/readyz", "/startupz"] {
        let body = ask(&always, path).json();
        let public = ["reason", "status"];
        assert!(
            body.as_object()
                .unwrap()
                .keys()
                .all(|key| public.contains(&&**key)),
            "{body}"
        );
    }
}

#[test]
fn what_is_excluded_does_not_count() {
    let rig = Rig::well(&[check("disk"), check("redis")]);
    rig.says("redis", RunResult::Fatal(Reason::DEPENDENCY_UNAVAILABLE));
    let routes = rig.router();
    assert_eq!(ask(&routes, "/readyz").code, 503);
    for path in ["/readyz", "/health"] {
        let got = ask(
            &routes,
            &format!("{path}?exclude=redis&verbose&exclude=no%20such&exclude=redis"),
        );
        assert_eq!(got.code, 200);
        let body = got.json();
        assert_eq!(body["status"], "healthy");
        assert_eq!(body["excluded"], json!(["redis"]));
        assert_eq!(body["warnings"], json!(["no check is called `no such`"]));
        assert_eq!(named(&body, "checks"), ["disk", "models"]);
    }
    rig.says("disk", RunResult::Fatal(Reason::STALLED));
    let body = ask(&routes, "/readyz?exclude=redis").json();
    assert_eq!(body["reason"], "stalled");
    assert_eq!(ask(&routes, "/readyz?exclude=redis&exclude=disk").code, 200);
}

#[test]
fn the_life_of_the_service_cannot_be_excluded() {
    let rig = Rig::well(&[check("disk")]);
    rig.board.live(|life| life.draining = true);
    let all = "/readyz?exclude=disk&exclude=models&exclude=draining&exclude=lifecycle";
    let got = ask(&rig.router(), all);
    assert_eq!(
        (got.code, got.json()["reason"].as_str()),
        (503, Some("draining"))
    );
}

#[test]
fn exclusions_can_be_turned_off() {
    let rig = Rig::well(&[check("redis")]);
    rig.says("redis", RunResult::Fatal(Reason::TIMEOUT));
    let routes = rig.with(HealthOptions {
        exclude: false,
        ..HealthOptions::default()
    });
    let got = ask(&routes, "/readyz?exclude=redis");
    assert_eq!(got.code, 503);
    assert_eq!(got.json()["warnings"], json!(["`exclude` is turned off"]));
}

#[test]
fn a_check_can_be_asked_by_itself() {
    let rig = Rig::well(&[
        check("redis").soft(),
        check("loop").groups(&[Group::Liveness]),
    ]);
    rig.says("redis", RunResult::Fatal(Reason::TIMEOUT));
    rig.board.live(|life| life.draining = true);
    rig.passes(Duration::from_secs(60));
    let routes = rig.router();
    let code = |path| ask(&routes, path).code;
    assert_eq!((code("/readyz/redis"), code("/readyz/redis/")), (503, 503));
    assert_eq!(ask(&routes, "/readyz/redis").json()["reason"], "timeout");
    assert_eq!(code("/readyz/models"), 200);
    let late = ask(&routes, "/livez/loop");
    assert_eq!(
        (late.code, late.json()["state"].as_str()),
        (200, Some("up"))
    );
    assert_eq!(late.json()["stale"], true);
    for path in [
        "/readyz/loop",
        "/livez/redis",
        "/readyz/none",
        "/readyz/%ff",
        "/readyz/a%2Fb",
    ] {
        let got = ask(&routes, path);
        assert_eq!(got.json(), json!({"error": "unknown check"}), "{path}");
        assert_eq!(got.code, 404, "{path}");
    }
    assert_eq!(code("/v2/models/%ff/ready"), 404);
    assert_eq!(code("/v2/models/m/versions/%ff/ready"), 404);
}

#[test]
fn the_draft_has_words_of_its_own() {
    let rig = Rig::well(&[check("disk"), check("redis").soft()]);
    let routes = rig.router();
    let got = ask_with(&routes, "GET", "/readyz", DRAFT);
    assert_eq!(got.header("content-type"), Some("application/health+json"));
    assert_eq!(got.header("vary"), Some("accept"));
    assert_eq!(got.json(), json!({"status": "pass"}));
    rig.says("redis", RunResult::Fatal(Reason::TIMEOUT));
    let got = ask_with(&routes, "GET", "/health?verbose&exclude=none", DRAFT);
    assert_eq!(
        got.json(),
        json!({
            "status": "warn",
            "output": "timeout",
            "notes": ["no check is called `none`"],
            "checks": {
                "disk": [{"status": "pass"}],
                "models": [{"status": "pass"}],
                "redis": [{"status": "fail", "output": "timeout"}],
            },
        })
    );
    rig.says("disk", RunResult::Fatal(Reason::STALLED));
    let got = ask_with(&routes, "GET", "/health", DRAFT);
    assert_eq!(
        (got.code, got.json()),
        (503, json!({"status": "fail", "output": "stalled"}))
    );
}

#[test]
fn envoy_is_told_where_it_is_asked_for() {
    let rig = Rig::well(&[check("redis").soft()]);
    rig.says("redis", RunResult::Fatal(Reason::TIMEOUT));
    let routes = rig.with(HealthOptions {
        envoy_headers: true,
        ..HealthOptions::default()
    });
    let hints = |routes: &Router, path: &str| {
        let got = ask(routes, path);
        [
            got.header("x-envoy-degraded").is_some(),
            got.header("x-envoy-immediate-health-check-fail").is_some(),
        ]
    };
    let ready = [
        "/readyz",
        "/health",
        "/v2/health/ready",
        "/v2/models/embed/ready",
    ];
    for path in ready {
        assert_eq!(hints(&routes, path), [true, false], "{path}");
        assert_eq!(hints(&rig.router(), path), [false, false], "{path}");
    }
    rig.board.live(|life| life.draining = true);
    for path in ready {
        assert_eq!(hints(&routes, path), [false, true], "{path}");
    }
    assert_eq!(hints(&routes, "/livez"), [false, false]);
}

#[test]
fn clients_of_triton_get_what_triton_says() {
    let rig = Rig::new(&[]);
    rig.model("embed", "1", Phase::Loading);
    let routes = rig.with(HealthOptions {
        triton_compat: true,
        ..HealthOptions::default()
    });
    for path in [
        "/v2/health/ready",
        "/v2/models/embed/ready",
        "/v2/models/embed/versions/1/ready",
    ] {
        let got = ask(&routes, path);
        assert_eq!((got.code, &*got.text), (400, ""), "{path}");
    }
    assert_eq!(ask(&routes, "/v2/health/live").code, 200);
    assert_eq!(ask(&routes, "/readyz").code, 503);
}

#[test]
fn no_body_is_longer_than_it_may_be() {
    let checks: Vec<_> = (0..300)
        .map(|i| check(format!("check_{i}_{}", "x".repeat(40)).leak()))
        .collect();
    let rig = Rig::well(&checks);
    rig.says(checks[299].name, RunResult::Fatal(Reason::TIMEOUT));
    for i in 0..300 {
        rig.model(
            &format!("\u{1}{i}{}", "é\"".repeat(500)),
            "1",
            Phase::Loading,
        );
    }
    // none of them is optional any more
    rig.passes(Duration::from_secs(1));
    let hostile = "%01".repeat(150);
    let mut query = String::from("verbose");
    for (i, check) in checks.iter().take(100).enumerate() {
        for name in [format!("{i}{hostile}"), check.name.to_owned()] {
            query.push_str("&exclude=");
            query.push_str(&name);
        }
    }
    let routes = rig.router();
    for path in ["/health", "/readyz", "/livez"] {
        for query in ["verbose", &query] {
            for accept in [("accept", "*/*"), DRAFT] {
                let got = ask_with(&routes, "GET", &format!("{path}?{query}"), accept);
                assert!(got.text.len() <= LONGEST, "{path}: {}", got.text.len());
                assert_eq!(got.code, if path == "/livez" { 200 } else { 503 });
                got.json();
            }
        }
    }
    let body = ask(&routes, "/health?verbose").json();
    for (list, omitted, all) in [
        ("checks", "checks_omitted", 301),
        ("models", "models_omitted", 301),
    ] {
        let shown = named(&body, list).len() as u64;
        assert!(shown > 0, "{list}");
        assert_eq!(shown + body[omitted].as_u64().unwrap(), all, "{list}");
    }
    let worst = ["models", checks[299].name];
    assert!(
        named(&body, "checks")[..2]
            .iter()
            .all(|name| worst.contains(name))
    );
    assert!(ask(&routes, "/health").text.len() <= LONGEST);
}

#[test]
fn the_routes_are_at_home_in_another_router() {
    let rig = Rig::well(&[check("redis")]);
    let own = || Router::new().route("/predict", axum::routing::post(|| async { "answer" }));
    let merged = own().merge(rig.router()).fallback(|| async { "theirs" });
    let nested = own().nest("/ops", rig.router());
    for (routes, prefix) in [(&merged, ""), (&nested, "/ops")] {
        for path in [
            "/health",
            "/livez/",
            "/readyz/redis",
            "/v2/models/embed/versions/1/ready",
        ] {
            assert_eq!(
                ask(routes, &format!("{prefix}{path}")).code,
                200,
                "{prefix}{path}"
            );
        }
        let refused = ask_with(
            routes,
            "PUT",
            &format!("{prefix}/readyz"),
            ("accept", "*/*"),
        );
        assert_eq!(
            (refused.code, refused.header("allow")),
            (405, Some("GET,HEAD"))
        );
    }
    assert_eq!(ask(&merged, "/other").text, "theirs");
    // options are for one router, the health is the same for all
    rig.says("redis", RunResult::Fatal(Reason::TIMEOUT));
    assert_eq!(ask(&merged, "/readyz").code, 503);
    assert_eq!(
        ask(
            &router(rig.board.clone(), HealthOptions::default()),
            "/readyz"
        )
        .code,
        503
    );
}
