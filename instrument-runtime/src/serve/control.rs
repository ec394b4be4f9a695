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
    /// In bytes.
    pub(crate) longest_answer: usize,
    /// In bytes. What is asked here is a name or two; a hundred streams of each connection hold what has arrived.
    pub(crate) longest_question: usize,
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
            longest_answer: 4 << 20,
            longest_question: 64 << 10,
        }
    }
}

/// The control plane. However often it is mounted, its limits hold over all of it. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct ControlPlane {
    health: GrpcHealth,
    inference: Inference,
    reflection: bool,
    longest_answer: usize,
    longest_question: usize,
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
            longest_answer: options.longest_answer,
            longest_question: options.longest_question,
        })
    }

    /// What it answers; `into_axum_router` makes a router of it.
    pub(crate) fn routes(&self) -> Routes {
        let (question, answer) = (self.longest_question, self.longest_answer);
        let health = HealthServer::new(self.health.clone())
            .max_decoding_message_size(question)
            .max_encoding_message_size(answer);
        let inference = GrpcInferenceServiceServer::new(self.inference.clone())
            .max_decoding_message_size(question)
            .max_encoding_message_size(answer);
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
