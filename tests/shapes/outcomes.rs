//! How a function ended, by the type of its value and never by a name: each type in every shape of function.

use crate::probe::{block, counts, start};
use instrument_inference::{Classify, ErrorType, inference_stage};
use std::fmt::{self, Debug, Display};
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

struct Opaque;

#[derive(Debug)]
struct Failed;

impl Display for Failed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("failed")
    }
}

impl std::error::Error for Failed {}

/// The caller's fault.
struct Refused;

impl Classify for Refused {
    fn error_type(&self) -> ErrorType {
        ErrorType::InvalidInput
    }
}

/// As `anyhow::Error`.
struct Anyhow(Box<dyn std::error::Error + Send + Sync>);

impl AsRef<dyn std::error::Error + Send + Sync> for Anyhow {
    fn as_ref(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        &*self.0
    }
}

type Alias = Result<u8, Refused>;

mod named_otherwise {
    pub(crate) use std::result::Result as Answer;
    pub(crate) type Result<T> = Option<T>;

    /// Its variants have the names of others.
    #[allow(dead_code)]
    pub(crate) enum Either {
        Ok(u8),
        Err(u8),
    }
}

fn unavailable() -> http::Response<()> {
    let mut response = http::Response::new(());
    *response.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
    response
}

macro_rules! table {
    ($($name:ident: $output:ty = $value:expr => $outcome:literal)*) => { $(
        mod $name {
            use super::*;

            #[inference_stage("execute")]
            fn sync() -> $output {
                $value
            }

            #[inference_stage("execute")]
            fn early(now: bool) -> $output {
                if now {
                    return $value;
                }
                $value
            }

            #[inference_stage("execute")]
            fn recursive(again: bool) -> $output {
                if again { recursive(false) } else { $value }
            }

            #[inference_stage("execute")]
            #[track_caller]
            fn tracked() -> $output {
                $value
            }

            #[inference_stage("execute")]
            async fn asynchronous() -> $output {
                $value
            }

            #[inference_stage("execute")]
            fn future() -> impl Future<Output = $output> {
                async { $value }
            }

            #[inference_stage("execute")]
            fn boxed() -> Pin<Box<dyn Future<Output = $output>>> {
                Box::pin(async { $value })
            }

            #[inference_stage("execute")]
            fn boxed_elsewhere() -> Pin<Box<dyn Future<Output = $output>>> {
                let future = Box::pin(async { $value });
                future
            }

            #[inference_stage("execute")]
            fn unpinned() -> Box<dyn Future<Output = $output> + Unpin> {
                Box::new(Box::pin(async { $value }))
            }

            trait Model {
                #[inference_stage("execute")]
                fn sync(&self) -> $output {
                    $value
                }

                #[inference_stage("execute")]
                fn future(&self) -> impl Future<Output = $output> {
                    async { $value }
                }
            }

            #[async_trait::async_trait(?Send)]
            trait AsyncModel {
                #[inference_stage("execute")]
                async fn default_body(&self) -> $output {
                    $value
                }

                async fn required(&self) -> $output;
            }

            impl Model for () {}

            #[async_trait::async_trait(?Send)]
            impl AsyncModel for () {
                #[inference_stage("execute")]
                async fn required(&self) -> $output {
                    $value
                }
            }

            #[test]
            fn is_told_in_every_shape() {
                let _test = start();
                let _ = sync();
                let _ = early(true);
                let _ = recursive(true);
                let _ = tracked();
                let _ = block(asynchronous());
                let _ = block(future());
                let _ = block(boxed());
                let _ = block(boxed_elsewhere());
                let _ = block(unpinned());
                let _ = Model::sync(&());
                let _ = block(Model::future(&()));
                let _ = block(().default_body());
                let _ = block(().required());
                assert_eq!(counts(), concat!("execute:", $outcome, "=14"));
            }
        }
    )* };
}

table! {
    nothing: () = () => "ok"
    number: u8 = 1 => "ok"
    ok: Result<u8, Refused> = Ok(1) => "ok"
    unknown_error: Result<u8, Opaque> = Err(Opaque) => "error"
    standard_error: Result<u8, Failed> = Err(Failed) => "error"
    boxed_error: Result<u8, Box<dyn std::error::Error>> = Err(Failed.into()) => "error"
    boxed_shared_error: Result<u8, Box<dyn std::error::Error + Send + Sync>> = Err(Failed.into()) => "error"
    like_anyhow: Result<u8, Anyhow> = Err(Anyhow(Failed.into())) => "error"
    classified: Result<u8, Refused> = Err(Refused) => "rejected"
    classified_in_a_box: Result<u8, Box<Refused>> = Err(Box::new(Refused)) => "rejected"
    classified_and_shared: Result<u8, Arc<Refused>> = Err(Arc::new(Refused)) => "rejected"
    error_type: Result<u8, ErrorType> = Err(ErrorType::CudaOom) => "error"
    text: Result<u8, String> = Err(String::new()) => "error"
    words: Result<u8, &'static str> = Err("") => "error"
    nothing_known: Result<u8, ()> = Err(()) => "error"
    alias: Alias = Err(Refused) => "rejected"
    result_by_another_name: named_otherwise::Answer<u8, Refused> = Err(Refused) => "rejected"
    option_named_result: named_otherwise::Result<u8> = None => "ok"
    variants_named_as_others: named_otherwise::Either = named_otherwise::Either::Err(1) => "ok"
    none: Option<u8> = None => "ok"
    control_flow: ControlFlow<Refused, u8> = ControlFlow::Break(Refused) => "ok"
    poll: Poll<Result<u8, Refused>> = Poll::Ready(Err(Refused)) => "ok"
    error_in_an_option: Option<Result<u8, Refused>> = Some(Err(Refused)) => "ok"
    many: Vec<Result<u8, Refused>> = vec![Err(Refused)] => "ok"
    result_in_a_result: Result<Result<u8, Refused>, Failed> = Ok(Err(Refused)) => "rejected"
    outer_result: Result<Result<u8, Refused>, Failed> = Err(Failed) => "error"
    response: http::Response<()> = unavailable() => "error"
    response_in_ok: Result<http::Response<()>, Refused> = Ok(unavailable()) => "error"
    response_in_err: Result<(), http::Response<()>> = Err(unavailable()) => "error"
    status: http::StatusCode = http::StatusCode::BAD_REQUEST => "rejected"
    status_and_body: (http::StatusCode, &'static str) = (http::StatusCode::NOT_FOUND, "") => "rejected"
    pair_of_others: (u8, http::StatusCode) = (1, http::StatusCode::BAD_REQUEST) => "ok"
}

#[inference_stage("execute")]
fn generic_value<T>(value: T) -> T {
    value
}

#[inference_stage("execute")]
async fn generic_error<T, E>(value: Result<T, E>) -> Result<T, E> {
    value
}

#[inference_stage("execute")]
fn bounded_error<T, E: std::error::Error>(value: Result<T, E>) -> Result<T, E> {
    value
}

#[inference_stage("execute")]
fn classified_error<T, E: Classify>(value: Result<T, E>) -> impl Future<Output = Result<T, E>> {
    async { value }
}

#[inference_stage("execute")]
fn hidden_value(value: Result<u8, Refused>) -> Result<impl Debug, impl Classify> {
    value
}

#[inference_stage("execute")]
fn hidden_result() -> impl Sized {
    Alias::Err(Refused)
}

#[test]
fn of_a_generic_type_its_bounds_are_known() {
    let _test = start();
    let _ = generic_value(Alias::Err(Refused));
    assert_eq!(counts(), "execute:ok=1");
    let _ = block(generic_error(Alias::Err(Refused)));
    let _ = bounded_error(Err::<u8, _>(Failed));
    assert_eq!(counts(), "execute:error=2");
    let _ = block(classified_error(Alias::Err(Refused)));
    let _ = hidden_value(Alias::Err(Refused));
    assert_eq!(counts(), "execute:rejected=2");
    let _ = hidden_result();
    assert_eq!(
        counts(),
        "execute:rejected=1",
        "what a function hides from others, its own body knows"
    );
}
