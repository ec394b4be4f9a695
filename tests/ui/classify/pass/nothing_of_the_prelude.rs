//! Without a prelude, among items that are called like those that the derive needs, with every lint on.
#![no_implicit_prelude]
#![deny(warnings, missing_docs, unreachable_pub)]
#![forbid(unsafe_code)]

#[allow(dead_code)]
mod shadows {
    pub(crate) struct ErrorType;
    pub(crate) struct Classify;
    pub(crate) struct Probe;
    pub(crate) struct Internal;
}
#[allow(unused_imports)]
use shadows::*;

#[derive(::instrument_inference::Classify)]
#[classify(internal)]
#[allow(dead_code)]
enum Failure<'a, T: ::instrument_inference::Classify + 'a, const N: usize>
where
    T: ::core::marker::Copy,
{
    #[allow(non_camel_case_types)]
    r#type,
    Internal,
    #[cfg(any())]
    Left(Out),
    #[cfg(all())]
    #[classify(rate_limited)]
    Kept,
    #[deprecated]
    #[classify(source)]
    Old(T),
    #[classify(source)]
    Borrowed(&'a T),
    #[classify(source)]
    Raw {
        r#type: [u8; N],
        #[source]
        r#fn: T,
    },
    #[classify(source)]
    Unknown([u8; N]),
}

#[derive(::instrument_inference::Classify)]
enum Never {}

#[derive(::instrument_inference::Classify)]
#[classify(unavailable)]
struct Gone;

fn main() {
    use ::instrument_inference::{Classify, ErrorType};
    use ::std::assert_eq;

    type Here = Failure<'static, ErrorType, 1>;
    static ERROR: ErrorType = ErrorType::CudaOom;
    assert_eq!(Here::r#type.error_type(), ErrorType::Internal);
    assert_eq!(Here::Kept.error_type(), ErrorType::RateLimited);
    assert_eq!(Here::Borrowed(&ERROR).error_type(), ERROR);
    let raw = Here::Raw { r#type: [0], r#fn: ErrorType::ModelLoad };
    assert_eq!(raw.error_type(), ErrorType::ModelLoad);
    assert_eq!(Here::Unknown([0]).error_type(), ErrorType::Internal);
    assert_eq!(Gone.error_type(), ErrorType::Unavailable);
    let _ = |never: Never| never.error_type();
}
