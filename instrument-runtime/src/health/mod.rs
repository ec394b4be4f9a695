//! Health: what checks say, when they are run, and what all of it comes to. Knows nothing of recording.

pub(crate) mod board;
pub(crate) mod body;
pub(crate) mod clock;
pub(crate) mod engine;
pub(crate) mod enrolled;
pub(crate) mod facts;
#[cfg(test)]
mod faults;
pub(crate) mod heartbeat;
pub(crate) mod herald;
pub(crate) mod job;
pub(crate) mod machine;
pub(crate) mod news;
pub(crate) mod options;
pub(crate) mod plan;
pub(crate) mod report;
#[cfg(test)]
pub(crate) mod rig;
pub(crate) mod rollup;
pub(crate) mod runner;
pub(crate) mod scheduler;
pub(crate) mod spec;
pub(crate) mod spread;
pub(crate) mod stats;
#[cfg(test)]
mod stories;
#[cfg(test)]
mod stories_stalled;
pub(crate) mod verdict;
