//! Health: what checks say, when they are run, and what all of it comes to. Knows nothing of recording.

pub(crate) mod board;
pub(crate) mod body;
pub(crate) mod clock;
pub(crate) mod facts;
pub(crate) mod machine;
pub(crate) mod plan;
pub(crate) mod report;
pub(crate) mod rollup;
pub(crate) mod spec;
pub(crate) mod verdict;
