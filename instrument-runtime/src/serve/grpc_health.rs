//! `grpc.health.v1`: reads the report, and runs no check.

use crate::health::board::Board;
use crate::serve::connection::ConnectionId;
use crate::serve::health_names::HealthNames;
use crate::serve::pb::health::health_server::Health;
use crate::serve::pb::health::{
    HealthCheckRequest, HealthCheckResponse, HealthListRequest, HealthListResponse,
};
use crate::serve::watch::Watch;
use crate::serve::watch_seats::{Peer, Seats};
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// What the protocol allows.
const MOST_LISTED: usize = 100;

/// The service.
#[derive(Debug, Clone)]
pub(crate) struct GrpcHealth {
    pub(crate) board: Board,
    pub(crate) names: Arc<HealthNames>,
    pub(crate) seats: Seats,
    /// Whether everything is told to whoever asks for a list.
    pub(crate) lists: bool,
}

#[tonic::async_trait]
impl Health for GrpcHealth {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        let name = self.names.find(&request.get_ref().service);
        let status = name
            .status(&self.board.report())
            .ok_or_else(|| Status::not_found("no service of that name"))?;
        Ok(Response::new(HealthCheckResponse {
            status: status.into(),
        }))
    }

    async fn list(
        &self,
        _: Request<HealthListRequest>,
    ) -> Result<Response<HealthListResponse>, Status> {
        if !self.lists {
            return Err(Status::permission_denied("lists are turned off"));
        }
        let all = self.names.all(&self.board.report());
        if all.len() > MOST_LISTED {
            return Err(Status::resource_exhausted("too many services for a list"));
        }
        let answer = |status: i32| HealthCheckResponse { status };
        let statuses = all
            .into_iter()
            .map(|(name, status)| (name, answer(status.into())))
            .collect();
        Ok(Response::new(HealthListResponse { statuses }))
    }

    type WatchStream = Watch;

    async fn watch(&self, request: Request<HealthCheckRequest>) -> Result<Response<Watch>, Status> {
        let seat = self
            .seats
            .take(peer(&request))
            .ok_or_else(|| Status::resource_exhausted("too many watches are open"))?;
        let name = self.names.find(&request.get_ref().service);
        Ok(Response::new(Watch::new(self.board.clone(), name, seat)))
    }
}

/// `None` where the server tells nothing about its connections.
fn peer<T>(request: &Request<T>) -> Option<Peer> {
    let ours = request.extensions().get::<ConnectionId>().copied();
    ours.map(Peer::Connection)
        .or_else(|| request.remote_addr().map(Peer::Address))
}
