//! For tests: a board that is written by hand, and the control plane over it on a socket.

use crate::health::board::{Board, Surroundings};
use crate::health::clock::HealthClock;
use crate::health::facts::{Facts, Life};
use crate::health::machine::RunResult;
use crate::health::plan::Plan;
use crate::health::spec::{CheckRun, CheckSpec, report};
use crate::serve::connection::Limits;
use crate::serve::control::{ControlOptions, ControlPlane};
use crate::serve::http::{Listener, Protocol, Server};
use crate::slot::devices::Devices;
use crate::slot::slots::Slots;
use crate::slot::state::{Phase, SlotState};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
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
        let plan = Plan::new(&SPEC).expect("a plain check");
        let facts = Facts::new(
            Duration::ZERO,
            [plan],
            Life::new(Duration::ZERO, without_models, false),
        );
        let board = Board::new(
            HealthClock::Manual(Arc::default()),
            slots.clone(),
            Surroundings {
                progress: Box::new(|| None),
                queues: Box::new(Vec::new),
                devices: Devices::default(),
                devices_count: true,
                executions: Box::new(|| None),
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
    pub(crate) fn serve(&self, options: ControlOptions) -> Served {
        let open = Arc::clone(&options.open_watches);
        Served::start(&self.plane(options), open)
    }
}

/// A control plane on a socket, until it is dropped.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    open_watches: Arc<AtomicU64>,
    _server: Server,
}

impl Served {
    fn start(plane: &ControlPlane, open_watches: Arc<AtomicU64>) -> Served {
        let listener = Listener {
            name: "control",
            socket: TcpListener::bind("127.0.0.1:0").expect("a free port"),
            router: plane.routes().into_axum_router(),
            limits: Limits::OTHERS,
            protocol: Protocol::Http2,
        };
        let server = Server::start("rig", vec![listener]).expect("a thread");
        Served {
            address: server.address("control").expect("it listens"),
            open_watches,
            _server: server,
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
