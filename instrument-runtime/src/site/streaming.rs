//! The stages of every stream of tokens that is measured.

use crate::site::site::Site;

/// Until the first token.
pub(crate) static PREFILL: Site = Site::stage("prefill", module_path!());

/// From the first token on.
pub(crate) static DECODE: Site = Site::stage("decode", module_path!());
