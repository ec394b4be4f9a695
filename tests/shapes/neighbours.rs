//! Attributes of other crates above and below.

use crate::probe::{block, counts, pause, start};
use instrument_inference::inference_stage;
use std::future::Future;
use std::pin::Pin;

#[inference_stage("execute")]
#[tokio::test]
async fn tokio_test_below() {
    pause_in_tokio().await;
}

#[tokio::test]
#[inference_stage("execute")]
async fn tokio_test_above() {
    pause_in_tokio().await;
}

#[inference_stage("execute")]
#[test]
fn test_below() {}

#[test]
#[inference_stage("execute")]
fn test_above() -> Result<(), String> {
    Ok(())
}

async fn pause_in_tokio() {
    tokio::task::yield_now().await;
}

/// The span in which a future does its work.
async fn span() -> &'static str {
    pause().await;
    let span = tracing::Span::current();
    span.metadata().map_or("none", |span| span.name())
}

#[async_trait::async_trait]
trait Traced {
    #[inference_stage("execute", no_span)]
    #[tracing::instrument(skip_all, err)]
    async fn measured_above(&self) -> Result<&'static str, String> {
        Ok(span().await)
    }

    #[tracing::instrument(skip_all, err)]
    #[inference_stage("execute", no_span)]
    async fn measured_below(&self) -> Result<&'static str, String> {
        Ok(span().await)
    }
}

impl Traced for () {}

#[inference_stage("execute", no_span)]
#[tracing::instrument(err)]
fn hidden(fails: bool) -> impl Future<Output = Result<&'static str, String>> {
    let fails = fails;
    async move {
        if fails {
            return Err(String::new());
        }
        Ok(span().await)
    }
}

#[inference_stage("execute", no_span)]
#[tracing::instrument(skip_all)]
fn boxed<'a>(name: &'a mut String) -> Pin<Box<dyn Future<Output = &'a str> + Send + 'a>> {
    name.push('!');
    Box::pin(async move {
        name.insert_str(0, span().await);
        name.as_str()
    })
}

#[test]
fn a_span_of_tracing_is_around_the_future() {
    let _test = start();
    tracing::subscriber::with_default(tracing_subscriber::registry(), || {
        assert_eq!(block(().measured_above()), Ok("measured_above"));
        assert_eq!(block(().measured_below()), Ok("measured_below"));
        assert_eq!(block(hidden(false)), Ok("hidden"));
        assert!(block(hidden(true)).is_err());
        assert_eq!(block(boxed(&mut String::new())), "boxed!");
        drop(hidden(true));
    });
    assert_eq!(counts(), "execute:error=1 execute:ok=4");
}
