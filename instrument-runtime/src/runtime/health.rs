//! The part of an installed telemetry that knows how the service is.

use crate::config::Config;
use crate::health::board::{Board, Surroundings};
use crate::health::clock::HealthClock;
use crate::health::facts::{Facts, Life};
use crate::runtime::error::InstallError;
use crate::runtime::recording::Recording;
use crate::slot::slots::Slots;
use std::time::Duration;

/// What a service says about its health before it is installed.
#[derive(Debug, Clone, Default)]
pub(crate) struct HealthSetup {
    pub(crate) without_models: bool,
}

/// The part of an installed telemetry that knows how the service is. Cheap to clone.
#[derive(Clone)]
pub(crate) struct HealthService {
    pub(crate) board: Board,
}

impl HealthService {
    pub(crate) fn start(
        _config: &Config,
        setup: HealthSetup,
        slots: &Slots,
        _recording: Option<&Recording>,
    ) -> Result<HealthService, InstallError> {
        let facts = Facts {
            version: 0,
            checks: Vec::new(),
            models: Vec::new(),
            models_since: Duration::ZERO,
            life: Life {
                without_models: setup.without_models,
                held: false,
                maintenance: false,
                draining: false,
                closing: false,
                started: false,
                since: Duration::ZERO,
            },
        };
        let surroundings = Surroundings {
            progress: Box::new(|| None),
            queue_depth: Box::new(|| None),
        };
        let board = Board::new(
            HealthClock::real(),
            slots.clone(),
            surroundings,
            facts,
            Duration::from_secs(5),
            Box::new(|_| {}),
        );
        Ok(HealthService { board })
    }

    /// Streams are told and closed.
    pub(crate) fn close(&self) {
        self.board
            .live(|life| (life.draining, life.closing) = (true, true));
    }

    /// The last one to go.
    pub(crate) fn stop(&self) {}
}
