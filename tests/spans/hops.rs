//! Other threads and tasks, queues and batches: who is whose parent.

use crate::tree::Tree;
use instrument_inference::queue::{self, Batch};
use instrument_inference::testing::Rig;
use instrument_inference::{
    RequestContext, carry, carry_async, inference_request, inference_stage, spawn, spawn_blocking,
};
use std::time::Duration;
use tracing::instrument::WithSubscriber;

#[inference_stage("execute")]
fn execute() {}

#[inference_stage("preprocess")]
async fn preprocess() {
    tokio::task::yield_now().await;
    execute();
}

/// On a thread that has the same subscriber, as one that is set for the process.
fn elsewhere(work: impl FnOnce() + Send) {
    let subscriber = tracing::dispatcher::get_default(Clone::clone);
    std::thread::scope(|scope| {
        scope.spawn(|| tracing::dispatcher::with_default(&subscriber, work));
    });
}

#[inference_stage("postprocess")]
fn hops_in_a_stage() {
    elsewhere(carry(execute));
}

#[inference_request]
async fn hops() {
    elsewhere(carry(execute));
    let context = RequestContext::current();
    elsewhere(|| {
        let _inside = context.map(RequestContext::enter);
        execute();
    });
    hops_in_a_stage();
    let carried = carry_async(preprocess()).with_current_subscriber();
    let task = tokio::spawn(carried);
    task.await.expect("it ends");
}

#[tokio::test]
async fn what_is_carried_keeps_its_parent() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let tree = Tree::default();
    let _on = tracing::subscriber::set_default(tree.subscriber());
    hops().await;
    assert_eq!(
        tree.shown(),
        "hops ok\n  execute ok\n  execute ok\n  postprocess ok\n    execute ok\n  preprocess ok\n    execute ok\n"
    );
    assert!(tree.is_settled());
}

#[inference_request]
async fn spawns() {
    spawn(preprocess()).await.expect("it ends");
}

#[tokio::test]
async fn a_spawned_task_keeps_its_parent() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let tree = Tree::default();
    let _on = tracing::subscriber::set_default(tree.subscriber());
    spawns().await;
    assert_eq!(tree.shown(), "spawns ok\n  preprocess ok\n    execute ok\n");
    assert!(tree.is_settled());
}

#[inference_request]
async fn blocks() {
    let subscriber = tracing::dispatcher::get_default(Clone::clone);
    let work = move || tracing::dispatcher::with_default(&subscriber, execute);
    spawn_blocking(work).await.expect("it ends");
}

#[tokio::test]
async fn a_span_is_left_to_the_subscriber_that_it_belongs_to() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let (tree, other) = (Tree::default(), Tree::default());
    let _on = tracing::subscriber::set_default(tree.subscriber());
    let first = blocks();
    // polled under another subscriber each time
    let mut first = Box::pin(first);
    assert!(futures::poll!(first.as_mut()).is_pending());
    first.with_subscriber(other.subscriber()).await;
    assert_eq!(tree.spans().len(), 2, "{}", tree.shown());
    assert!(tree.is_settled() && other.spans().is_empty());
}

#[inference_stage("execute", batch = batch)]
fn execute_all(batch: &Batch<u32, u32>) -> Vec<u32> {
    execute();
    batch.inputs().copied().collect()
}

#[inference_stage("execute", batch = batch)]
async fn execute_all_later(batch: &Batch<u32, u32>) -> Vec<u32> {
    tokio::task::yield_now().await;
    execute();
    batch.inputs().copied().collect()
}

#[inference_request]
async fn predict(caller: queue::Caller<u32, u32>, input: u32) -> u32 {
    caller.call(input).await.unwrap_or_default()
}

async fn batches(later: bool) -> Tree {
    let rig = Rig::new();
    let _inside = rig.enter();
    let tree = Tree::default();
    let _on = tracing::subscriber::set_default(tree.subscriber());
    let (caller, worker) = queue::batcher::<u32, u32>("q", 8);
    let work = async {
        let batch = worker
            .next(2, Duration::from_secs(1))
            .await
            .expect("two wait");
        let answers = if later {
            execute_all_later(&batch).await
        } else {
            execute_all(&batch)
        };
        batch.finish(answers);
    };
    let (one, two, ()) = futures::join!(predict(caller.clone(), 1), predict(caller, 2), work);
    assert_eq!((one, two), (1, 2));
    tree
}

#[tokio::test]
async fn a_batch_is_one_span_that_follows_from_the_requests_of_its_members() {
    for later in [false, true] {
        let tree = batches(later).await;
        assert_eq!(
            tree.shown(),
            "predict ok\n  queue ok\npredict ok\n  queue ok\nexecute ok\n  execute ok\n"
        );
        let spans = tree.spans();
        let batch = &spans[4];
        assert_eq!(batch.follows, [0, 2]);
        assert_eq!(batch.fields["batch_size"], "2");
        assert_eq!(batch.entered, 1 + usize::from(later));
        assert_eq!(spans[1].target, "instrument_inference::queue");
        assert!(tree.is_settled());
    }
}
