//! The control plane: what is answered over gRPC, ready to be mounted or served.

use crate::health::board::Board;
use crate::serve::grpc_health::GrpcHealth;
use crate::serve::health_names::{HealthNames, NameTaken};
use crate::serve::kserve_grpc::Inference;
use crate::serve::pb::DESCRIPTORS;
use crate::serve::pb::health::health_server::HealthServer;
use crate::serve::pb::inference::grpc_inference_service_server::GrpcInferenceServiceServer;
use crate::serve::watch_seats::{Seats, WatchLimits};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tonic::service::Routes;
use tonic_reflection::server::Builder;

/// How the control plane answers.
#[derive(Debug, Clone)]
pub(crate) struct ControlOptions {
    /// Names of services of the application that are as ready as the whole.
    pub(crate) services: Vec<String>,
    /// Whether `List` tells every name.
    pub(crate) lists: bool,
    /// Whether the protocols themselves can be asked for.
    pub(crate) reflection: bool,
    pub(crate) watches: WatchLimits,
    /// Counts the watches that are open.
    pub(crate) open_watches: Arc<AtomicU64>,
    /// In bytes, either way.
    pub(crate) longest_message: usize,
}

impl Default for ControlOptions {
    fn default() -> ControlOptions {
        ControlOptions {
            services: Vec::new(),
            lists: true,
            reflection: false,
            watches: WatchLimits {
                per_connection: 64,
                total: 1024,
            },
            open_watches: Arc::default(),
            longest_message: 4 << 20,
        }
    }
}

/// The control plane. However often it is mounted, its limits hold over all of it. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct ControlPlane {
    health: GrpcHealth,
    inference: Inference,
    reflection: bool,
    longest_message: usize,
}

impl ControlPlane {
    /// `service` and `version` are those of the application.
    ///
    /// # Errors
    /// Where the name of a service means something else already.
    pub(crate) fn new(
        board: &Board,
        service: &str,
        version: &str,
        options: ControlOptions,
    ) -> Result<ControlPlane, NameTaken> {
        Ok(ControlPlane {
            health: GrpcHealth {
                board: board.clone(),
                names: Arc::new(HealthNames::new(options.services)?),
                seats: Seats::new(options.watches, options.open_watches),
                lists: options.lists,
            },
            inference: Inference {
                board: board.clone(),
                service: service.into(),
                version: version.into(),
            },
            reflection: options.reflection,
            longest_message: options.longest_message,
        })
    }

    /// What it answers; `into_axum_router` makes a router of it.
    pub(crate) fn routes(&self) -> Routes {
        let longest = self.longest_message;
        let health = HealthServer::new(self.health.clone())
            .max_decoding_message_size(longest)
            .max_encoding_message_size(longest);
        let inference = GrpcInferenceServiceServer::new(self.inference.clone())
            .max_decoding_message_size(longest)
            .max_encoding_message_size(longest);
        let routes = Routes::new(health).add_service(inference);
        let routes = if self.reflection {
            with_reflection(routes)
        } else {
            routes
        };
        routes.prepare()
    }
}

/// In both forms: the older one is what most programs still ask for.
fn with_reflection(routes: Routes) -> Routes {
    let known = || Builder::configure().register_encoded_file_descriptor_set(DESCRIPTORS);
    let (Ok(v1), Ok(v1alpha)) = (known().build_v1(), known().build_v1alpha()) else {
        // descriptors that cannot be read: the tests would have said so
        return routes;
    };
    routes.add_service(v1).add_service(v1alpha)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::machine::{FailKind, RunResult};
    use crate::serve::control_rig::{Rig, Served};
    use crate::serve::pb::health::health_check_response::ServingStatus;
    use crate::serve::pb::health::health_client::HealthClient;
    use crate::serve::pb::health::{HealthCheckRequest, HealthCheckResponse, HealthListRequest};
    use crate::serve::pb::inference::grpc_inference_service_client::GrpcInferenceServiceClient;
    use crate::serve::pb::inference::{
        ModelConfigRequest, ModelInferRequest, ModelMetadataRequest, ModelReadyRequest,
        ModelStatisticsRequest, RepositoryIndexRequest, ServerLiveRequest, ServerMetadataRequest,
        ServerReadyRequest,
    };
    use crate::slot::state::Phase;
    use crate::vocab::reason::Reason;
    use ServingStatus::{NotServing, Serving};
    use tokio_stream::StreamExt;
    use tonic::transport::Channel;
    use tonic::{Code, Status, Streaming};
    use tonic_reflection::pb::{v1, v1alpha};

    fn health(channel: Channel) -> HealthClient<Channel> {
        HealthClient::new(channel)
    }

    fn about(service: &str) -> HealthCheckRequest {
        HealthCheckRequest {
            service: service.to_owned(),
        }
    }

    async fn check(channel: &Channel, service: &str) -> Result<ServingStatus, Code> {
        let answer = health(channel.clone()).check(about(service)).await;
        answer
            .map(|answer| answer.get_ref().status())
            .map_err(|status| status.code())
    }

    /// What is live, what is ready, and whether `digits` is.
    async fn ready(channel: &Channel) -> [bool; 3] {
        let mut client = GrpcInferenceServiceClient::new(channel.clone());
        let live = client.server_live(ServerLiveRequest {}).await.unwrap();
        let ready = client.server_ready(ServerReadyRequest {}).await.unwrap();
        let model = client
            .model_ready(ModelReadyRequest {
                name: "digits".to_owned(),
                version: String::new(),
            })
            .await
            .unwrap();
        [
            live.get_ref().live,
            ready.get_ref().ready,
            model.get_ref().ready,
        ]
    }

    async fn watch(
        channel: &Channel,
        service: &str,
    ) -> Result<Streaming<HealthCheckResponse>, Status> {
        let answer = health(channel.clone()).watch(about(service)).await?;
        Ok(answer.into_inner())
    }

    async fn next(
        stream: &mut Streaming<HealthCheckResponse>,
    ) -> Option<Result<ServingStatus, Code>> {
        let item = stream.next().await?;
        Some(
            item.map(|answer| answer.status())
                .map_err(|status| status.code()),
        )
    }

    #[tokio::test]
    async fn every_name_says_what_the_report_says() {
        let rig = Rig::new(false);
        let served = rig
            .serve(ControlOptions {
                services: vec!["app.Digits".to_owned()],
                ..ControlOptions::default()
            })
            .await;
        let channel = served.connect().await;
        let slot = rig.slots.declare("digits", "1");
        let fail = RunResult::Fail(FailKind::Error, Reason::DEPENDENCY_UNAVAILABLE);
        let steps: [(&str, &dyn Fn(), [ServingStatus; 4]); 8] = [
            (
                "starting",
                &|| {},
                [NotServing, Serving, NotServing, NotServing],
            ),
            (
                "loaded",
                &|| slot.enter(Phase::Ready),
                [NotServing, Serving, Serving, Serving],
            ),
            ("up", &|| rig.said(RunResult::Pass), [Serving; 4]),
            (
                "degraded",
                &|| rig.said(RunResult::Warn(Reason::QUEUE_FULL)),
                [Serving; 4],
            ),
            ("failing once", &|| rig.said(fail), [Serving; 4]),
            (
                "down",
                &|| rig.said(fail),
                [NotServing, Serving, Serving, Serving],
            ),
            ("up again", &|| rig.said(RunResult::Pass), [Serving; 4]),
            (
                "draining",
                &|| rig.drain(),
                [NotServing, Serving, Serving, NotServing],
            ),
        ];
        for (step, change, [readiness, liveness, startup, model]) in steps {
            change();
            for (name, said) in [
                ("", readiness),
                ("readiness", readiness),
                ("app.Digits", readiness),
                ("liveness", liveness),
                ("startup", startup),
                ("models/digits", model),
            ] {
                assert_eq!(check(&channel, name).await, Ok(said), "{step}: {name:?}");
            }
            let said = [liveness, readiness, model].map(|status| status == Serving);
            assert_eq!(ready(&channel).await, said, "{step}");
        }
        for unknown in ["digits", "models/", "models/x", "app.digits"] {
            assert_eq!(check(&channel, unknown).await, Err(Code::NotFound));
        }
    }

    #[tokio::test]
    async fn a_list_is_one_report_or_nothing() {
        let rig = Rig::ready();
        rig.loaded("digits", "1");
        rig.loaded("digits", "2");
        let served = rig.serve(ControlOptions::default()).await;
        let mut client = health(served.connect().await);
        let list = client.list(HealthListRequest {}).await.unwrap();
        let names: Vec<_> = list.get_ref().statuses.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["", "liveness", "models/digits", "readiness", "startup"]
        );
        for number in 0..95 {
            rig.slots.declare(&format!("model-{number}"), "1");
        }
        let list = client.list(HealthListRequest {}).await.unwrap();
        assert_eq!(list.get_ref().statuses.len(), 100);
        rig.slots.declare("one too many", "1");
        let refused = client.list(HealthListRequest {}).await.unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted);

        let off = ControlOptions {
            lists: false,
            ..ControlOptions::default()
        };
        let served = rig.serve(off).await;
        let mut client = health(served.connect().await);
        let refused = client.list(HealthListRequest {}).await.unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied);
    }

    #[tokio::test]
    async fn a_watch_follows_the_service_to_its_end() {
        let rig = Rig::ready();
        let served = rig.serve(ControlOptions::default()).await;
        let channel = served.connect().await;
        let mut whole = watch(&channel, "").await.unwrap();
        let mut live = watch(&channel, "liveness").await.unwrap();
        let mut later = watch(&channel, "models/digits").await.unwrap();
        assert_eq!(next(&mut whole).await, Some(Ok(Serving)));
        assert_eq!(next(&mut live).await, Some(Ok(Serving)));
        assert_eq!(
            next(&mut later).await,
            Some(Ok(ServingStatus::ServiceUnknown))
        );
        rig.loaded("digits", "1");
        let mut said = next(&mut later).await;
        if said == Some(Ok(NotServing)) {
            // declared, and not loaded yet
            said = next(&mut later).await;
        }
        assert_eq!(said, Some(Ok(Serving)));
        rig.drain();
        assert_eq!(next(&mut whole).await, Some(Ok(NotServing)));
        assert_eq!(next(&mut later).await, Some(Ok(NotServing)));
        rig.close();
        for stream in [&mut whole, &mut live, &mut later] {
            assert_eq!(next(stream).await, Some(Err(Code::Unavailable)));
            assert_eq!(next(stream).await, None);
        }
        served.until_watches(0).await;
    }

    #[tokio::test]
    async fn watches_are_limited_and_a_client_that_leaves_makes_room() {
        let rig = Rig::ready();
        let served = rig
            .serve(ControlOptions {
                watches: WatchLimits {
                    per_connection: 2,
                    total: 3,
                },
                ..ControlOptions::default()
            })
            .await;
        let refused =
            |answer: Result<_, Status>| answer.map(|_| ()).map_err(|status| status.code());
        let (one, other) = (served.connect().await, served.connect().await);
        let mut open = vec![
            watch(&one, "").await.unwrap(),
            watch(&one, "x").await.unwrap(),
        ];
        assert_eq!(refused(watch(&one, "").await), Err(Code::ResourceExhausted));
        open.push(watch(&other, "").await.unwrap());
        assert_eq!(
            refused(watch(&other, "").await),
            Err(Code::ResourceExhausted)
        );
        assert_eq!(served.open_watches(), 3);
        // whoever only asks is not refused
        assert_eq!(check(&one, "").await, Ok(Serving));
        drop(open);
        served.until_watches(0).await;
        assert!(watch(&other, "").await.is_ok());
    }

    #[tokio::test]
    async fn watches_over_the_services_own_server_are_limited_too() {
        let rig = Rig::ready();
        let plane = rig.plane(ControlOptions {
            watches: WatchLimits {
                per_connection: 1,
                total: 3,
            },
            ..ControlOptions::default()
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let incoming = tonic::transport::server::TcpIncoming::from(listener);
        let server = tonic::transport::Server::builder().add_routes(plane.routes());
        let serving = tokio::spawn(server.serve_with_incoming(incoming));
        let connect = || async {
            let endpoint = Channel::from_shared(format!("http://{address}")).unwrap();
            endpoint.connect().await.unwrap()
        };
        let (one, other) = (connect().await, connect().await);
        let _first = watch(&one, "").await.unwrap();
        let refused = watch(&one, "").await.unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted);
        assert!(watch(&other, "").await.is_ok());
        serving.abort();
    }

    #[tokio::test]
    async fn models_tell_their_versions_and_what_runs_them() {
        let rig = Rig::ready();
        rig.loaded("digits", "1").enter(Phase::Unloaded);
        rig.slots.declare("digits", "2").set_platform("onnx");
        rig.loaded("digits", "3").set_platform("candle");
        let served = rig.serve(ControlOptions::default()).await;
        let mut client = GrpcInferenceServiceClient::new(served.connect().await);
        let server = client
            .server_metadata(ServerMetadataRequest {})
            .await
            .unwrap();
        let server = server.into_inner();
        assert_eq!((&*server.name, &*server.version), ("rig", "1.2.3"));
        assert!(server.extensions.is_empty());
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
        let served = rig.serve(ControlOptions::default()).await;
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

    #[tokio::test]
    async fn messages_have_a_longest() {
        let rig = Rig::ready();
        let served = rig.serve(ControlOptions::default()).await;
        let channel = served.connect().await;
        let long = |bytes| "x".repeat(bytes);
        assert_eq!(check(&channel, &long(4_000_000)).await, Err(Code::NotFound));
        let refused = check(&channel, &long(5_000_000)).await.unwrap_err();
        assert!(
            matches!(refused, Code::OutOfRange | Code::ResourceExhausted),
            "{refused:?}"
        );
        assert_eq!(check(&channel, "").await, Ok(Serving));
    }

    macro_rules! reflected {
        ($version:ident, $served:expr) => {{
            use $version::server_reflection_request::MessageRequest;
            use $version::server_reflection_response::MessageResponse;
            let request = $version::ServerReflectionRequest {
                host: String::new(),
                message_request: Some(MessageRequest::ListServices(String::new())),
            };
            let channel = $served.connect().await;
            $version::server_reflection_client::ServerReflectionClient::new(channel)
                .server_reflection_info(tokio_stream::once(request))
                .await
                .map_err(|status| status.code())
                .map(|answers| async {
                    let answer = answers.into_inner().next().await.unwrap().unwrap();
                    let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response
                    else {
                        panic!("no list");
                    };
                    list.service
                        .into_iter()
                        .map(|service| service.name)
                        .collect::<Vec<_>>()
                })
        }};
    }

    #[tokio::test]
    async fn the_protocols_can_be_asked_for_only_where_that_is_wanted() {
        let rig = Rig::ready();
        let off = rig.serve(ControlOptions::default()).await;
        assert_eq!(reflected!(v1, off).err(), Some(Code::Unimplemented));
        assert_eq!(reflected!(v1alpha, off).err(), Some(Code::Unimplemented));
        let on: Served = rig
            .serve(ControlOptions {
                reflection: true,
                ..ControlOptions::default()
            })
            .await;
        let lists = [
            reflected!(v1, on).unwrap().await,
            reflected!(v1alpha, on).unwrap().await,
        ];
        for list in lists {
            for service in ["grpc.health.v1.Health", "inference.GRPCInferenceService"] {
                assert!(list.iter().any(|name| name == service), "{list:?}");
            }
        }
    }
}
