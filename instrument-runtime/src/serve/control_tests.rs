//! For tests: the control plane over sockets, as gRPC's health protocol and reflection show it.

use crate::health::machine::{FailKind, RunResult};
use crate::serve::control::ControlOptions;
use crate::serve::control_rig::Rig;
use crate::serve::pb::health::health_check_response::ServingStatus::{
    self, NotServing, ServiceUnknown, Serving,
};
use crate::serve::pb::health::health_client::HealthClient;
use crate::serve::pb::health::{HealthCheckRequest, HealthCheckResponse, HealthListRequest};
use crate::serve::pb::inference::grpc_inference_service_client::GrpcInferenceServiceClient;
use crate::serve::pb::inference::{ModelReadyRequest, ServerLiveRequest, ServerReadyRequest};
use crate::serve::watch_seats::WatchLimits;
use crate::slot::state::Phase;
use crate::vocab::reason::Reason;
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

async fn watch(channel: &Channel, service: &str) -> Result<Streaming<HealthCheckResponse>, Status> {
    let answer = health(channel.clone()).watch(about(service)).await?;
    Ok(answer.into_inner())
}

async fn next(stream: &mut Streaming<HealthCheckResponse>) -> Option<Result<ServingStatus, Code>> {
    let item = stream.next().await?;
    Some(
        item.map(|answer| answer.status())
            .map_err(|status| status.code()),
    )
}

/// What happens, and what readiness, liveness, startup and a model are then.
type Step<'a> = (&'static str, &'a dyn Fn(), [ServingStatus; 4]);

#[tokio::test]
async fn every_name_says_what_the_report_says() {
    let rig = Rig::new(false);
    let served = rig.serve(ControlOptions {
        services: vec!["app.Digits".to_owned()],
        ..ControlOptions::default()
    });
    let channel = served.connect().await;
    let slot = rig.slots.declare("digits", "1");
    let fail = RunResult::Fail(FailKind::Error, Reason::DEPENDENCY_UNAVAILABLE);
    let steps: [Step; 8] = [
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
    let served = rig.serve(ControlOptions::default());
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
    let served = rig.serve(off);
    let mut client = health(served.connect().await);
    let refused = client.list(HealthListRequest {}).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
}

#[tokio::test]
async fn a_watch_follows_the_service_to_its_end() {
    let rig = Rig::ready();
    let served = rig.serve(ControlOptions::default());
    let channel = served.connect().await;
    let mut whole = watch(&channel, "").await.unwrap();
    let mut live = watch(&channel, "liveness").await.unwrap();
    let mut later = watch(&channel, "models/digits").await.unwrap();
    assert_eq!(next(&mut whole).await, Some(Ok(Serving)));
    assert_eq!(next(&mut live).await, Some(Ok(Serving)));
    assert_eq!(next(&mut later).await, Some(Ok(ServiceUnknown)));
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
    let served = rig.serve(ControlOptions {
        watches: WatchLimits {
            per_connection: 2,
            total: 3,
        },
        ..ControlOptions::default()
    });
    let refused = |answer: Result<_, Status>| answer.map(|_| ()).map_err(|status| status.code());
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
async fn questions_have_a_longest() {
    let rig = Rig::ready();
    let served = rig.serve(ControlOptions::default());
    let channel = served.connect().await;
    let long = |bytes| "x".repeat(bytes);
    assert_eq!(check(&channel, &long(60_000)).await, Err(Code::NotFound));
    let refused = check(&channel, &long(70_000)).await.unwrap_err();
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
    let off = rig.serve(ControlOptions::default());
    assert_eq!(reflected!(v1, off).err(), Some(Code::Unimplemented));
    assert_eq!(reflected!(v1alpha, off).err(), Some(Code::Unimplemented));
    let on = rig.serve(ControlOptions {
        reflection: true,
        ..ControlOptions::default()
    });
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
