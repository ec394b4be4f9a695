//! The attribute and derive macros of [`instrument-inference`](https://docs.rs/instrument-inference).
//!
//! Depend on that crate: it re-exports every macro, with its manual. This one only reads attributes and functions and
//! emits calls into the facade's `__private`; it knows nothing about recording.

mod body;
mod classify;
mod diag;
#[cfg(test)]
mod fuzz;
#[cfg(all(test, feature = "metrics", feature = "health"))]
mod golden;
mod health_check;
mod label_value;
mod paths;
mod request;
#[cfg(all(test, feature = "metrics", feature = "health"))]
mod spans;
mod stage;
mod syntax;
#[cfg(all(test, not(feature = "metrics")))]
mod unmeasured;

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

/// Makes a function a health check. The manual is on the re-export, `instrument_inference::health_check`.
#[proc_macro_attribute]
pub fn health_check(attribute: TokenStream, item: TokenStream) -> TokenStream {
    health_check::expand(attribute.into(), &item.into()).into()
}

/// A check by the path of its function. The manual is on the re-export, `instrument_inference::check`.
#[cfg(feature = "health")]
#[proc_macro]
pub fn check(path: TokenStream) -> TokenStream {
    health_check::named(path.into()).into()
}

/// Makes an enum without fields a label. The manual is on the re-export, `instrument_inference::LabelValue`.
#[proc_macro_derive(LabelValue, attributes(label))]
pub fn label_value(item: TokenStream) -> TokenStream {
    label_value::expand(item.into()).into()
}

/// Says which type an error is. The manual is on the re-export, `instrument_inference::Classify`.
// `source` and `from` mark the inner error, as with `thiserror`, which need not be there.
#[proc_macro_derive(Classify, attributes(classify, source, from))]
pub fn classify(item: TokenStream) -> TokenStream {
    classify::expand(item.into()).into()
}
