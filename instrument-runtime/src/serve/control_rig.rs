//! For tests: a board that is written by hand, and the control plane over it on a socket.

use crate::health::board::{Board, Surroundings};
use crate::health::clock::HealthClock;
use crate::health::facts::{CheckFacts, Facts, Life};
use crate::health::machine::{Machine, RunResult};
use crate::health::plan::Plan;
use crate::health::spec::{CheckRun, CheckSpec, report};
use crate::serve::connection::ConnectionId;
use crate::serve::control::{ControlOptions, ControlPlane};
use crate::slot::slots::Slots;
use crate::slot::state::{Phase, SlotState};
use axum::{Extension, Router};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tonic::transport::{Channel, Endpoint};

/// Ten times what anything here needs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

const SPEC: CheckSpec = CheckSpec::new("tokenizer", "rig", CheckRun::Sync(|| report(())));

/// One check, `tokenizer`, and no model yet.
#[derive(Debug)]
pub(crate) struct Rig {
    pub(crate) slots: Slots,
    pub(crate) board: Board,
}

impl Rig {
    /// Ready: its check is up, and it needs no model.
    pub(crate) fn ready() -> Rig {
        let rig = Rig::new(true);
        rig.said(RunResult::Pass);
        rig
    }

    /// Its check has not run yet.
    pub(crate) fn new(without_models: bool) -> Rig {
        let slots = Slots::default();
        let facts = Facts {
            version: 0,
            checks: vec![CheckFacts {
                plan: Plan::new(&SPEC).expect("a plain check"),
                machine: Machine::new(Duration::ZERO),
            }],
            models: Vec::new(),
            models_since: Duration::ZERO,
            life: Life::new(Duration::ZERO, without_models, false),
        };
        let board = Board::new(
            HealthClock::Manual(Arc::default()),
            slots.clone(),
            Surroundings {
                progress: Box::new(|| None),
                queue_depth: Box::new(|| None),
            },
            facts,
            Duration::from_secs(5),
            Box::new(|_| {}),
        );
        Rig { slots, board }
    }

    /// The check has run.
    pub(crate) fn said(&self, result: RunResult) {
        self.board.publish(|facts, now| {
            let check = &mut facts.checks[0];
            check.machine.take(&check.plan, result, now, now);
        });
    }

    /// A model that is loaded.
    pub(crate) fn loaded(&self, name: &str, version: &str) -> Arc<SlotState> {
        let slot = self.slots.declare(name, version);
        slot.enter(Phase::Ready);
        slot
    }

    pub(crate) fn drain(&self) {
        self.board.drain(PATIENCE);
    }

    pub(crate) fn close(&self) {
        self.board.drain(Duration::ZERO);
    }

    pub(crate) fn plane(&self, options: ControlOptions) -> ControlPlane {
        ControlPlane::new(&self.board, "rig", "1.2.3", options).expect("names of their own")
    }

    /// The control plane on a socket.
    pub(crate) async fn serve(&self, options: ControlOptions) -> Served {
        let open = Arc::clone(&options.open_watches);
        Served::start(&self.plane(options), open).await
    }
}

/// A control plane on a socket, until it is dropped.
#[derive(Debug)]
pub(crate) struct Served {
    open_watches: Arc<AtomicU64>,
    pub(crate) address: SocketAddr,
    _serving: JoinSet<()>,
}

impl Served {
    async fn start(plane: &ControlPlane, open_watches: Arc<AtomicU64>) -> Served {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let mut serving = JoinSet::new();
        serving.spawn(accept(listener, plane.routes().into_axum_router()));
        Served {
            open_watches,
            address,
            _serving: serving,
        }
    }

    /// A connection of its own.
    pub(crate) async fn connect(&self) -> Channel {
        Endpoint::from_shared(format!("http://{}", self.address))
            .expect("an address")
            .connect()
            .await
            .expect("it is served")
    }

    /// How many watches are open.
    pub(crate) fn open_watches(&self) -> u64 {
        self.open_watches.load(Ordering::Relaxed)
    }

    /// Waits until that many watches are open.
    pub(crate) async fn until_watches(&self, number: u64) {
        let all = async {
            while self.open_watches() != number {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, all)
            .await
            .expect("watches come and go");
    }
}

async fn accept(listener: TcpListener, router: Router) {
    let mut connections = JoinSet::new();
    for number in 0.. {
        let (stream, _) = listener.accept().await.expect("a connection");
        let router = router.clone().layer(Extension(ConnectionId(number)));
        connections.spawn(async move {
            let _ = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
                .await;
        });
    }
}
