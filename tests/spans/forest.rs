//! Random trees of stages, requests and streams, polled in random order on random threads, dropped anywhere, with panics.
//!
//! Each follows from a seed, up to the order in which threads run.

mod node;

use futures::FutureExt;
use instrument_inference::testing::Rig;
use node::{Counts, Grown, Node, Random, World, grow, lock};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread;
use tracing::{Dispatch, dispatcher};

const SEEDS: std::ops::Range<u64> = 0..40;
const THREADS: u64 = 3;
const ROUNDS: u64 = 3;
const STAGES: [&str; 3] = ["preprocess", "execute", "postprocess"];

/// Threads that poll whatever is there, so many times each, and drop some; `last`: until nothing is left.
fn round(seed: u64, rig: &Rig, spans: &Dispatch, trees: &Mutex<Vec<Grown>>, last: bool) {
    let work = |thread| {
        let mut random = Random(seed * 31 + thread);
        let _inside = rig.enter();
        let mut turns = 0..if last { u64::MAX } else { 40 };
        while turns.next().is_some() {
            let mut tree = {
                let mut trees = lock(trees);
                if trees.is_empty() {
                    break;
                }
                let next = random.index(trees.len());
                trees.swap_remove(next)
            };
            let dropped = random.one_in(12);
            let done = || dropped || tree.as_mut().now_or_never().is_some();
            if let Ok(false) = catch_unwind(AssertUnwindSafe(done)) {
                lock(trees).push(tree);
            }
        }
    };
    thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || dispatcher::with_default(spans, || work(thread)));
        }
    });
}

/// What a scrape says, in the words of the model.
fn scraped(rig: &Rig) -> Counts {
    let mut counts = Counts::new();
    for line in rig.scrape().lines() {
        let label = |name: &str| {
            let (_, rest) = line.split_once(&format!("{name}=\""))?;
            Some(rest.split_once('"')?.0)
        };
        let family = line.split('{').next().unwrap_or_default();
        let outcome = match label("outcome") {
            Some("cancelled" | "panicked") => "left",
            Some("error") => "error",
            _ => "ok",
        };
        let outcome = match family {
            "inference_stage_duration_seconds_count" | "inference_requests_total" => outcome,
            "inference_stage_in_flight" | "inference_requests_in_flight" => "open",
            "inference_orphan_stages_total" => "orphan",
            _ => continue,
        };
        let what = STAGES
            .into_iter()
            .find(|stage| label("stage") == Some(stage));
        if what.is_none() && label("stage").is_some() {
            // of streams of tokens
            continue;
        }
        let value = line
            .rsplit_once(' ')
            .and_then(|(_, value)| value.parse::<u64>().ok());
        *counts
            .entry((what.unwrap_or("request"), outcome))
            .or_default() += value.expect("a number");
    }
    counts.retain(|_, count| *count > 0);
    counts
}

fn grows(seed: u64) -> u64 {
    let mut random = Random(seed);
    let rig = Rig::new();
    let world = World::default();
    let spans = Dispatch::new(world.tree.subscriber());
    let draw = |_| grow(Node::draw(&mut random, 4), world.outside());
    let trees = Mutex::new((0..60).map(draw).collect());
    for number in 0..ROUNDS {
        round(seed + number, &rig, &spans, &trees, number + 1 == ROUNDS);
        let mut counts = lock(&world.counts).clone();
        counts.retain(|_, count| *count > 0);
        assert_eq!(scraped(&rig), counts, "seed {seed}, round {number}");
        assert_eq!(*lock(&world.wrong), Vec::<String>::new(), "seed {seed}");
    }
    assert!(
        world.tree.is_settled(),
        "seed {seed}: {}",
        world.tree.shown()
    );
    let open = |((_, outcome), _): &(&(_, _), &u64)| *outcome == "open";
    assert_eq!(scraped(&rig).iter().find(open), None, "seed {seed}");
    world.tree.spans().len() as u64
}

#[test]
fn whatever_grows_is_counted_and_shown_as_it_is_written() {
    let spans: u64 = SEEDS.map(grows).sum();
    assert!(spans > 1_000, "they are no trees: {spans}");
}
