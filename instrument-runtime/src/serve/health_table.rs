//! What health answers over HTTP, for every state that a service can be in.

use crate::health::machine::RunResult;
use crate::serve::health_rig::{Rig, ask, ask_with, check, fail};
use crate::slot::state::Phase;
use crate::vocab::group::Group;
use crate::vocab::reason::Reason;
use serde_json::json;
use std::time::Duration;

/// A state of a service, and what its addresses say: the code and the reason of startup, liveness, readiness, and of its
/// model `embed`.
type Row = (&'static str, fn() -> Rig, [(u16, Option<&'static str>); 4]);

const OK: (u16, Option<&str>) = (200, None);

const TABLE: &[Row] = &[
    (
        "no model was declared",
        || Rig::new(&[]),
        [
            (503, Some("model_not_loaded")),
            OK,
            (503, Some("model_not_loaded")),
            (404, None),
        ],
    ),
    (
        "its model is loading",
        || {
            let rig = Rig::new(&[]);
            rig.model("embed", "1", Phase::Loading);
            rig
        },
        [
            (503, Some("model_loading")),
            OK,
            (503, Some("model_loading")),
            (503, Some("model_loading")),
        ],
    ),
    (
        "its model cannot be loaded",
        || {
            let rig = Rig::new(&[]);
            rig.model("embed", "1", Phase::Failed);
            rig
        },
        [
            (503, Some("model_load_failed")),
            OK,
            (503, Some("model_load_failed")),
            (503, Some("model_load_failed")),
        ],
    ),
    (
        "a check has not run yet",
        || {
            let rig = Rig::new(&[check("redis")]);
            rig.model("embed", "1", Phase::Ready);
            rig
        },
        [OK, OK, (503, Some("starting")), OK],
    ),
    (
        "all is well",
        || Rig::well(&[check("redis")]),
        [OK, OK, OK, OK],
    ),
    (
        "a check warns",
        || {
            let rig = Rig::well(&[check("queue")]);
            rig.says("queue", RunResult::Warn(Reason::QUEUE_FULL));
            rig
        },
        [OK, OK, (200, Some("queue_full")), OK],
    ),
    (
        "a soft check is down",
        || {
            let rig = Rig::well(&[check("redis").soft()]);
            rig.says("redis", RunResult::Fatal(Reason::DEPENDENCY_UNAVAILABLE));
            rig
        },
        [OK, OK, (200, Some("dependency_unavailable")), OK],
    ),
    (
        "a hard check is down",
        || {
            let rig = Rig::well(&[check("device")]);
            rig.says("device", RunResult::Fatal(Reason::CUDA_OOM));
            rig
        },
        [OK, OK, (503, Some("cuda_oom")), OK],
    ),
    (
        "one failure is not enough",
        || {
            let rig = Rig::well(&[check("device")]);
            rig.says("device", fail(Reason::CUDA_OOM));
            rig
        },
        [OK, OK, OK, OK],
    ),
    (
        "a check of the model is down",
        || {
            let rig = Rig::well(&[check("golden").model("embed")]);
            rig.says("golden", RunResult::Fatal(Reason::GOLDEN_FAILING));
            rig
        },
        [
            OK,
            OK,
            (503, Some("golden_failing")),
            (503, Some("golden_failing")),
        ],
    ),
    (
        "nothing was heard of a check for too long",
        || {
            let rig = Rig::well(&[check("redis")]);
            rig.passes(Duration::from_secs(16));
            rig
        },
        [OK, OK, (503, Some("stale")), OK],
    ),
    (
        "a check of liveness is late, and a restart would be too much",
        || {
            let rig = Rig::well(&[check("loop").groups(&[Group::Liveness])]);
            rig.passes(Duration::from_secs(16));
            rig
        },
        [OK, OK, OK, OK],
    ),
    (
        "a check of liveness is down",
        || {
            let rig = Rig::well(&[check("loop").groups(&[Group::Liveness])]);
            rig.says("loop", RunResult::Fatal(Reason::STALLED));
            rig
        },
        [OK, (503, Some("stalled")), OK, OK],
    ),
    (
        "it is taken out of rotation",
        || {
            let rig = Rig::well(&[]);
            rig.board.live(|life| life.maintenance = true);
            rig
        },
        [
            OK,
            OK,
            (503, Some("maintenance")),
            (503, Some("maintenance")),
        ],
    ),
    (
        "it is on its way out",
        || {
            let rig = Rig::well(&[]);
            rig.board.live(|life| life.draining = true);
            rig
        },
        [OK, OK, (503, Some("draining")), (503, Some("draining"))],
    ),
];

#[test]
fn every_address_says_what_the_service_is() {
    for (state, service, [startup, live, ready, model]) in TABLE {
        let routes = service().router();
        for (path, (code, reason)) in [
            ("/startupz", startup),
            ("/livez", live),
            ("/readyz", ready),
            ("/health", ready),
            ("/v2/health/live", live),
            ("/v2/health/ready", ready),
            ("/v2/models/embed/ready", model),
            ("/v2/models/embed/versions/1/ready", model),
        ] {
            let case = format!("{state}: {path}");
            let got = ask(&routes, path);
            assert_eq!(got.code, *code, "{case}: {}", got.text);
            let body = got.json();
            // of the protocol of Triton only models have a place for it
            if !path.starts_with("/v2/health") {
                assert_eq!(body["reason"].as_str(), *reason, "{case}: {body}");
            }
            let status = match (code, reason) {
                (200, None) => "healthy",
                (200, Some(_)) => "degraded",
                _ => "unhealthy",
            };
            match path {
                "/v2/health/live" => assert_eq!(body, json!({"live": *code == 200}), "{case}"),
                "/v2/health/ready" => assert_eq!(body, json!({"ready": *code == 200}), "{case}"),
                _ if *code == 404 => assert_eq!(body, json!({"error": "unknown model"}), "{case}"),
                _ if path.starts_with("/v2") => assert_eq!(body["ready"], *code == 200, "{case}"),
                _ => assert_eq!(body["status"], status, "{case}: {body}"),
            }
            assert_eq!(got.header("cache-control"), Some("no-store"), "{case}");
            assert_eq!(
                got.header("content-type"),
                Some("application/json"),
                "{case}"
            );
            for asked in [path.to_owned(), format!("{path}/")] {
                let head = ask_with(&routes, "HEAD", &asked, ("accept", "*/*"));
                assert_eq!((head.code, &*head.text), (*code, ""), "{case}");
                assert_eq!(head.headers, got.headers, "{case}");
                let refused = ask_with(&routes, "POST", &asked, ("accept", "*/*"));
                assert_eq!((refused.code, &*refused.text), (405, ""), "{case}");
                assert_eq!(refused.header("allow"), Some("GET,HEAD"), "{case}");
                assert_eq!(refused.header("cache-control"), Some("no-store"), "{case}");
            }
            assert_eq!(ask(&routes, &format!("{path}/")).text, got.text, "{case}");
        }
    }
}
