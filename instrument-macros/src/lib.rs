//! The attribute macros of [`instrument-inference`](https://docs.rs/instrument-inference).
//!
//! Depend on that crate: it re-exports every macro, with its manual. This one only reads attributes and functions and
//! emits calls into the facade's `__private`; it knows nothing about recording.

mod body;
mod diag;
#[cfg(test)]
mod fuzz;
#[cfg(all(test, feature = "metrics"))]
mod golden;
mod paths;
mod request;
mod stage;
mod syntax;

use proc_macro::TokenStream;

/// Measures a step of a request. The manual is on the re-export, `instrument_inference::inference_stage`.
#[proc_macro_attribute]
pub fn inference_stage(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stage::expand(attribute.into(), &item.into()).into()
}

/// Measures a request from handler to answer. The manual is on the re-export, `instrument_inference::inference_request`.
#[proc_macro_attribute]
pub fn inference_request(attribute: TokenStream, item: TokenStream) -> TokenStream {
    request::expand(attribute.into(), &item.into()).into()
}
