//! For tests: what clients of Triton are told, over sockets.

use crate::serve::control::ControlOptions;
use crate::serve::control_rig::Rig;
use crate::serve::pb::inference::grpc_inference_service_client::GrpcInferenceServiceClient;
use crate::serve::pb::inference::{
    ModelConfigRequest, ModelInferRequest, ModelMetadataRequest, ModelReadyRequest,
    ModelStatisticsRequest, RepositoryIndexRequest, ServerMetadataRequest,
};
use crate::slot::state::Phase;
use tonic::Code;

#[tokio::test]
async fn models_tell_their_versions_and_what_runs_them() {
    let rig = Rig::ready();
    rig.loaded("digits", "1").enter(Phase::Unloaded);
    rig.slots.declare("digits", "2").set_platform("onnx");
    rig.loaded("digits", "3").set_platform("candle");
    let served = rig.serve(ControlOptions::default());
    let mut client = GrpcInferenceServiceClient::new(served.connect().await);
    let about = client
        .server_metadata(ServerMetadataRequest {})
        .await
        .unwrap();
    let about = about.into_inner();
    assert_eq!((&*about.name, &*about.version), ("rig", "1.2.3"));
    assert!(about.extensions.is_empty());
    for (version, ready, platform) in [
        ("", true, "onnx"),
        ("1", false, ""),
        ("2", false, "onnx"),
        ("3", true, "candle"),
    ] {
        let (name, version) = ("digits".to_owned(), version.to_owned());
        let asked = ModelReadyRequest {
            name: name.clone(),
            version: version.clone(),
        };
        let is = client.model_ready(asked).await.unwrap();
        assert_eq!(is.get_ref().ready, ready, "{version}");
        let asked = ModelMetadataRequest { name, version };
        let model = client.model_metadata(asked).await.unwrap().into_inner();
        assert_eq!((&*model.name, &*model.platform), ("digits", platform));
        assert_eq!(model.versions, ["2", "3"]);
        assert!(model.inputs.is_empty() && model.outputs.is_empty());
    }
    for (name, version) in [("digits", "4"), ("letters", ""), ("", "")] {
        let (name, version) = (name.to_owned(), version.to_owned());
        let asked = ModelReadyRequest {
            name: name.clone(),
            version: version.clone(),
        };
        let unknown = client.model_ready(asked).await.unwrap_err();
        assert_eq!(unknown.code(), Code::NotFound);
        let asked = ModelMetadataRequest { name, version };
        let unknown = client.model_metadata(asked).await.unwrap_err();
        assert_eq!(unknown.code(), Code::NotFound);
    }
}

#[tokio::test]
async fn what_is_not_served_here_is_unimplemented() {
    let rig = Rig::ready();
    let served = rig.serve(ControlOptions::default());
    let mut client = GrpcInferenceServiceClient::new(served.connect().await);
    let infer = ModelInferRequest::default();
    let refused = [
        client.model_infer(infer.clone()).await.map(|_| ()),
        client
            .model_stream_infer(tokio_stream::once(infer))
            .await
            .map(|_| ()),
        client
            .model_config(ModelConfigRequest::default())
            .await
            .map(|_| ()),
        client
            .model_statistics(ModelStatisticsRequest::default())
            .await
            .map(|_| ()),
        client
            .repository_index(RepositoryIndexRequest::default())
            .await
            .map(|_| ()),
    ];
    for answer in refused {
        assert_eq!(answer.unwrap_err().code(), Code::Unimplemented);
    }
}
