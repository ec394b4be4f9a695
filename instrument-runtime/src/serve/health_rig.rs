//! A service with a board, a clock that the test moves, and nothing that runs; and how its routes are asked.

use crate::health::board::{Board, Surroundings};
use crate::health::clock::HealthClock;
use crate::health::facts::{Facts, Life};
use crate::health::machine::{FailKind, RunResult};
use crate::health::options::HealthOptions;
use crate::health::plan::Plan;
use crate::health::spec::{CheckRun, CheckSpec, report};
use crate::serve::health_http::router;
use crate::slot::devices::Devices;
use crate::slot::slots::Slots;
use crate::slot::state::Phase;
use crate::vocab::reason::Reason;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(crate) struct Rig {
    pub(crate) board: Board,
    slots: Slots,
    nanos: Arc<AtomicU64>,
}

pub(crate) const fn check(name: &'static str) -> CheckSpec {
    CheckSpec::new(name, "service", CheckRun::Sync(|| report(())))
}

impl Rig {
    pub(crate) fn new(checks: &[CheckSpec]) -> Rig {
        let nanos = Arc::new(AtomicU64::new(0));
        let slots = Slots::default();
        let plans = checks.iter().map(|spec| Plan::new(spec).unwrap());
        let facts = Facts::new(
            Duration::ZERO,
            plans,
            Life::new(Duration::ZERO, false, false),
        );
        let surroundings = Surroundings {
            progress: Box::new(|| None),
            queues: Box::new(|| vec![Arc::new(|| 2)]),
            devices: Devices::default(),
            devices_count: true,
            executions: Box::new(|| None),
        };
        let board = Board::new(
            HealthClock::Manual(Arc::clone(&nanos)),
            slots.clone(),
            surroundings,
            facts,
            Duration::from_secs(5),
            Box::new(|_| {}),
        );
        Rig {
            board,
            slots,
            nanos,
        }
    }

    /// With a model that is ready, and every check up.
    pub(crate) fn well(checks: &[CheckSpec]) -> Rig {
        let rig = Rig::new(checks);
        rig.model("embed", "1", Phase::Ready);
        for spec in checks {
            rig.says(spec.name, RunResult::Pass);
        }
        rig
    }

    pub(crate) fn model(&self, name: &str, version: &str, phase: Phase) {
        self.slots.declare(name, version).enter(phase);
    }

    pub(crate) fn says(&self, name: &str, result: RunResult) {
        self.board.publish(|facts, now| {
            let check = facts.checks.iter_mut().find(|one| one.plan.name == name);
            let check = check.unwrap();
            check.machine.take(&check.plan.clone(), result, now, now);
        });
    }

    pub(crate) fn passes(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap();
        self.nanos.fetch_add(nanos, Ordering::AcqRel);
    }

    pub(crate) fn router(&self) -> Router {
        self.with(HealthOptions::default())
    }

    pub(crate) fn with(&self, options: HealthOptions) -> Router {
        router(self.board.clone(), options)
    }
}

pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

pub(crate) fn ask_with(router: &Router, method: &str, path: &str, header: (&str, &str)) -> Answer {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header.0, header.1)
        .body(Body::empty())
        .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let answer = TowerToHyperService::new(router.clone())
            .call(request)
            .await
            .unwrap();
        let (head, body) = answer.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        Answer {
            code: head.status.as_u16(),
            headers: head.headers,
            text: String::from_utf8(body.to_vec()).unwrap(),
        }
    })
}

pub(crate) fn ask(router: &Router, path: &str) -> Answer {
    ask_with(router, "GET", path, ("accept", "*/*"))
}

pub(crate) fn fail(reason: Reason) -> RunResult {
    RunResult::Fail(FailKind::Error, reason)
}
