//! What grows: calls of annotated functions in one another, and what a simple model counts of them.

use crate::tree::Tree;
use futures::future::{BoxFuture, FutureExt, poll_fn};
use futures::stream::{self, BoxStream, StreamExt};
use instrument_inference::{
    ErrorType, MeasureTokens, carry_async, inference_request, inference_stage,
};
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug, Clone, Copy)]
pub struct Random(pub u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    pub fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).unwrap_or_default()
    }

    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sync,
    Async,
    Stream,
    SyncRoot,
    Root,
    RootStream,
    /// A handler that joins what is open.
    Joins,
    Tokens,
    Join,
    Race,
    Carried,
}

const KINDS: [Kind; 11] = {
    use Kind::{
        Async, Carried, Join, Joins, Race, Root, RootStream, Stream, Sync, SyncRoot, Tokens,
    };
    [
        Sync, Async, Stream, SyncRoot, Root, RootStream, Joins, Tokens, Join, Race, Carried,
    ]
};

#[derive(Debug, Clone, Copy)]
enum End {
    Ok,
    Error,
    Panic,
    Hang,
}

#[derive(Debug)]
pub struct Node {
    kind: Kind,
    inner: Vec<Arc<Node>>,
    end: End,
    seed: Random,
}

impl Node {
    pub fn draw(random: &mut Random, depth: u64) -> Arc<Node> {
        let inner = if depth == 0 { 0 } else { random.below(4) };
        // most end well
        let end = [End::Ok, End::Error, End::Panic, End::Hang][random.index(8).saturating_sub(4)];
        Arc::new(Node {
            kind: KINDS[random.index(KINDS.len())],
            inner: (0..inner).map(|_| Node::draw(random, depth - 1)).collect(),
            end,
            seed: Random(random.0),
        })
    }
}

/// What a simple model counts: by stage (or `request`) and outcome; `open` is what has begun and not ended.
pub type Counts = BTreeMap<(&'static str, &'static str), u64>;

#[derive(Clone, Default)]
pub struct World {
    pub tree: Tree,
    pub counts: Arc<Mutex<Counts>>,
    pub wrong: Arc<Mutex<Vec<String>>>,
}

/// Where a node stands: the span around it, and the attribute that opened its request.
#[derive(Clone)]
pub struct At {
    world: World,
    span: Option<usize>,
    request: Option<Kind>,
}

/// Of one call of an annotated function: counts it, and looks where it runs.
struct Call {
    at: At,
    counted: Option<&'static str>,
    outcome: &'static str,
}

impl Call {
    fn begin(node: &Node, mut at: At) -> Call {
        let counted = match node.kind {
            Kind::Sync => Some("preprocess"),
            Kind::Async => Some("execute"),
            Kind::Stream => Some("postprocess"),
            Kind::Joins if at.request.is_some_and(|open| open != Kind::Joins) => None,
            _ => Some("request"),
        };
        let (around, span) = (at.span, Tree::current());
        let parent = match span {
            Some(span) if counted.is_some() => at.world.tree.parent(span),
            same => same,
        };
        if parent != around || span.is_none() {
            let wrong = format!("{:?} in {parent:?}, not in {around:?}", node.kind);
            lock(&at.world.wrong).push(wrong);
        }
        if counted == Some("request") {
            at.request = Some(node.kind);
        }
        if let Some(what) = counted {
            at.world.count(what, "open");
        }
        at.span = span;
        Call {
            at,
            counted,
            outcome: "left",
        }
    }

    /// It is inside of its own span, whatever has run in between.
    fn look(&self) {
        let current = Tree::current();
        if current != self.at.span {
            let wrong = format!("{:?} goes on in {current:?}", self.at.span);
            lock(&self.at.world.wrong).push(wrong);
        }
    }

    async fn end(&mut self, end: End) -> Result<(), ErrorType> {
        match end {
            End::Ok => self.outcome = "ok",
            End::Error => self.outcome = "error",
            End::Panic => resume_unwind(Box::new("on purpose")),
            End::Hang => std::future::pending().await,
        }
        if self.outcome == "ok" {
            Ok(())
        } else {
            Err(ErrorType::Internal)
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(what) = self.counted {
            *lock(&self.at.world.counts)
                .entry((what, "open"))
                .or_default() -= 1;
            self.at.world.count(what, self.outcome);
            if self.at.request.is_none() {
                self.at.world.count(what, "orphan");
            }
        }
    }
}

impl World {
    /// Outside of everything.
    pub fn outside(&self) -> At {
        At {
            world: self.clone(),
            span: None,
            request: None,
        }
    }

    fn count(&self, what: &'static str, outcome: &'static str) {
        *lock(&self.counts).entry((what, outcome)).or_default() += 1;
    }
}

pub type Done = Result<(), ErrorType>;
pub type Grown = BoxFuture<'static, Done>;

async fn body(node: &Node, at: At) -> Done {
    let mut call = Call::begin(node, at);
    for inner in &node.inner {
        let _ = grow(Arc::clone(inner), call.at.clone()).await;
        call.look();
        tokio::task::yield_now().await;
        call.look();
    }
    call.end(node.end).await
}

/// Each inner one is polled a few times, and dropped.
fn sync_body(node: &Node, at: At) -> Done {
    let mut call = Call::begin(node, at);
    for inner in &node.inner {
        let mut inner = grow(Arc::clone(inner), call.at.clone());
        let _ = (0..3).find(|_| inner.as_mut().now_or_never().is_some());
        drop(inner);
        call.look();
    }
    let end = match node.end {
        End::Hang => End::Ok,
        other => other,
    };
    call.end(end).now_or_never().unwrap_or(Ok(()))
}

/// An item for each inner one.
fn stream_body(node: &Arc<Node>, at: At) -> BoxStream<'static, Done> {
    let call = Call::begin(node, at);
    let state = (call, Arc::clone(node), 0);
    let step = |(mut call, node, next): (Call, Arc<Node>, usize)| async move {
        call.look();
        if let Some(inner) = node.inner.get(next) {
            let _ = grow(Arc::clone(inner), call.at.clone()).await;
            call.look();
            return Some((Ok(()), (call, node, next + 1)));
        }
        if next > node.inner.len() {
            return None;
        }
        let ended = call.end(node.end).await;
        ended.is_err().then(|| (ended, (call, node, next + 1)))
    };
    stream::unfold(state, step).boxed()
}

#[inference_stage("preprocess")]
fn sync_stage(node: &Node, at: At) -> Done {
    sync_body(node, at)
}

#[inference_stage("execute")]
async fn stage(node: &Node, at: At) -> Done {
    body(node, at).await
}

#[inference_stage("postprocess", stream)]
fn stage_stream(node: &Arc<Node>, at: At) -> BoxStream<'static, Done> {
    stream_body(node, at)
}

#[inference_request(root)]
fn sync_request(node: &Node, at: At) -> Done {
    sync_body(node, at)
}

#[inference_request(root)]
async fn request(node: &Node, at: At) -> Done {
    body(node, at).await
}

#[inference_request(root, stream)]
async fn request_stream(node: &Arc<Node>, at: At) -> BoxStream<'static, Done> {
    stream_body(node, at)
}

#[inference_request]
async fn joins(node: &Node, at: At) -> Done {
    body(node, at).await
}

/// Polls them in random order, until one or all have ended.
async fn together(node: &Node, at: &At, all: bool) -> Done {
    let mut random = node.seed;
    let grown = node
        .inner
        .iter()
        .map(|inner| grow(Arc::clone(inner), at.clone()));
    let mut open: Vec<_> = grown.collect();
    poll_fn(|cx| {
        for _ in 0..open.len() {
            let next = random.index(open.len());
            if open[next].as_mut().poll(cx).is_ready() {
                drop(open.swap_remove(next));
                break;
            }
        }
        if open.is_empty() || !all && open.len() < node.inner.len() {
            return Poll::Ready(Ok(()));
        }
        Poll::Pending
    })
    .await
}

/// Reads a part of it.
async fn read(node: &Node, mut items: BoxStream<'static, Done>) -> Done {
    let mut random = node.seed;
    let mut last = Ok(());
    while !random.one_in(8) {
        let Some(item) = items.next().await else {
            break;
        };
        last = item;
        tokio::task::yield_now().await;
    }
    last
}

pub fn grow(node: Arc<Node>, at: At) -> Grown {
    let grown = async move {
        match node.kind {
            Kind::Sync => sync_stage(&node, at),
            Kind::Async => stage(&node, at).await,
            Kind::Stream => read(&node, stage_stream(&node, at)).await,
            Kind::SyncRoot => sync_request(&node, at),
            Kind::Root => request(&node, at).await,
            Kind::RootStream => read(&node, request_stream(&node, at).await).await,
            Kind::Joins => joins(&node, at).await,
            Kind::Tokens => {
                let grown = node
                    .inner
                    .iter()
                    .map(|inner| grow(Arc::clone(inner), at.clone()));
                let items: Vec<_> = grown.collect();
                let items = stream::iter(items).then(|item| item);
                read(&node, items.measure_tokens(|_| 1_u8).boxed()).await
            }
            Kind::Join => together(&node, &at, true).await,
            Kind::Race => together(&node, &at, false).await,
            Kind::Carried => {
                let inner = node
                    .inner
                    .iter()
                    .map(|inner| carry_async(grow(Arc::clone(inner), at.clone())));
                futures::future::join_all(inner).await;
                Ok(())
            }
        }
    };
    grown.boxed()
}
