//! What clients of Triton and of the Open Inference Protocol ask a server about itself. Inference is not served here.

use crate::health::board::Board;
use crate::health::report::ModelReport;
use crate::serve::pb::inference::grpc_inference_service_server::GrpcInferenceService;
use crate::serve::pb::inference::{
    ModelConfigRequest, ModelConfigResponse, ModelInferRequest, ModelInferResponse,
    ModelMetadataRequest, ModelMetadataResponse, ModelReadyRequest, ModelReadyResponse,
    ModelStatisticsRequest, ModelStatisticsResponse, ModelStreamInferResponse,
    RepositoryIndexRequest, RepositoryIndexResponse, ServerLiveRequest, ServerLiveResponse,
    ServerMetadataRequest, ServerMetadataResponse, ServerReadyRequest, ServerReadyResponse,
};
use crate::slot::state::Phase;
use crate::vocab::group::Group;
use std::sync::Arc;
use tokio_stream::Empty;
use tonic::{Request, Response, Status, Streaming};

/// The service.
#[derive(Debug, Clone)]
pub(crate) struct Inference {
    pub(crate) board: Board,
    pub(crate) service: Arc<str>,
    pub(crate) version: Arc<str>,
}

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl GrpcInferenceService for Inference {
    async fn server_live(&self, _: Request<ServerLiveRequest>) -> Answer<ServerLiveResponse> {
        let live = self.board.report().status(Group::Liveness).serves();
        Ok(Response::new(ServerLiveResponse { live }))
    }

    async fn server_ready(&self, _: Request<ServerReadyRequest>) -> Answer<ServerReadyResponse> {
        let ready = self.board.report().status(Group::Readiness).serves();
        Ok(Response::new(ServerReadyResponse { ready }))
    }

    async fn model_ready(&self, request: Request<ModelReadyRequest>) -> Answer<ModelReadyResponse> {
        let ModelReadyRequest { name, version } = request.into_inner();
        let ready = self
            .board
            .report()
            .is_model_ready(&name, asked(&version))
            .ok_or_else(unknown)?;
        Ok(Response::new(ModelReadyResponse { ready }))
    }

    async fn server_metadata(
        &self,
        _: Request<ServerMetadataRequest>,
    ) -> Answer<ServerMetadataResponse> {
        Ok(Response::new(ServerMetadataResponse {
            name: self.service.to_string(),
            version: self.version.to_string(),
            // an extension that is named has to be answered in full
            extensions: Vec::new(),
        }))
    }

    async fn model_metadata(
        &self,
        request: Request<ModelMetadataRequest>,
    ) -> Answer<ModelMetadataResponse> {
        let ModelMetadataRequest { name, version } = request.into_inner();
        let report = self.board.report();
        let mut meant = report.models_named(&name, asked(&version)).peekable();
        meant.peek().ok_or_else(unknown)?;
        let platform = meant.find_map(|model| model.platform.as_deref());
        let platform = platform.unwrap_or_default().to_owned();
        drop(meant);
        let versions = report
            .models_named(&name, None)
            .filter(|model: &&ModelReport| model.phase != Phase::Unloaded)
            .map(|model| model.version.to_string())
            .collect();
        Ok(Response::new(ModelMetadataResponse {
            name,
            versions,
            platform,
            inputs: Vec::new(),
            outputs: Vec::new(),
        }))
    }

    async fn model_infer(&self, _: Request<ModelInferRequest>) -> Answer<ModelInferResponse> {
        Err(not_here())
    }

    type ModelStreamInferStream = Empty<Result<ModelStreamInferResponse, Status>>;

    async fn model_stream_infer(
        &self,
        _: Request<Streaming<ModelInferRequest>>,
    ) -> Answer<Self::ModelStreamInferStream> {
        Err(not_here())
    }

    async fn model_config(&self, _: Request<ModelConfigRequest>) -> Answer<ModelConfigResponse> {
        Err(not_here())
    }

    async fn model_statistics(
        &self,
        _: Request<ModelStatisticsRequest>,
    ) -> Answer<ModelStatisticsResponse> {
        Err(not_here())
    }

    async fn repository_index(
        &self,
        _: Request<RepositoryIndexRequest>,
    ) -> Answer<RepositoryIndexResponse> {
        Err(not_here())
    }
}

/// The protocol has no absent texts: an empty version is any.
fn asked(version: &str) -> Option<&str> {
    Some(version).filter(|version| !version.is_empty())
}

fn unknown() -> Status {
    Status::not_found("no model of that name and version")
}

fn not_here() -> Status {
    Status::unimplemented("not served by the control plane")
}
