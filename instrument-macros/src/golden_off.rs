//! Without recording nothing of ours is in a measured function: what is emitted is what was written, after const checks,
//! and uses of the attribute's expressions that never run.

use crate::golden::{MACROS, inputs, named};
